{#- Why a Blob message cannot be read, or null. -#}
{% macro datahub_blob_reason() -%}
case
    when opened.error_code is not null
        then named_struct('code', opened.error_code, 'detail', opened.error_detail)
    when operation is null then {{ reason('missing_operation', 'payload.op') }}
    when operation_kind is null then {{ reason('unknown_operation', 'payload.op') }}
    when (is_row_change and coalesce(table_name, '') = '') or (operation_kind = 'truncate' and tables is null)
        then {{ reason('missing_table', 'schema.source.tableName') }}
    -- Control messages may say -1 or nothing.
    when not is_snapshot
        and not sequence_text rlike r'^[0-9]{0,38}\z'
        and (needs_order or sequence_text <> '-1')
        then {{ reason('invalid_sequence', 'payload.sequenceId') }}
    when {{ is_bad_millis(['event_millis', 'system_millis', 'checkpoint_millis']) }}
        then {{ reason('invalid_timestamp', 'payload.timestamp') }}
    when operation in ('UPDATE', 'UPDATE_BEFOR', 'UPDATE_BEFORE', 'DELETE') and not has_before
        then {{ reason('missing_image', 'payload.before.dataColumn') }}
    when operation in ('INSERT', 'UPDATE', 'UPDATE_AFTER') and not has_after
        then {{ reason('missing_image', 'payload.after.dataColumn') }}
    -- UPDATE_AFTER may carry the preimage too: one message then stands for the pair.
    when has_before and operation_kind not in ('update', 'delete')
        then {{ reason('unexpected_image', 'payload.before.dataColumn') }}
    when has_after and operation not in ('INSERT', 'UPDATE', 'UPDATE_AFTER')
        then {{ reason('unexpected_image', 'payload.after.dataColumn') }}
end
{%- endmacro %}
