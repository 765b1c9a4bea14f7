{#- Why a Dataworks v2 message cannot be read, or null. No sequence, no time and no key are no reason. -#}
{% macro oms_dataworks_v2_reason() -%}
case
    when opened.error_code is not null
        then named_struct('code', opened.error_code, 'detail', opened.error_detail)
    when operation is null then {{ reason('missing_operation', 'payload.op') }}
    when operation_kind is null then {{ reason('unknown_operation', 'payload.op') }}
    when (is_row_change and coalesce(table_name, '') = '') or (operation_kind = 'truncate' and tables is null)
        then {{ reason('missing_table', 'schema.source.table') }}
    when not sequence_text rlike r'^[0-9]{1,38}\z' then {{ reason('invalid_sequence', 'payload.scn') }}
    when {{ is_bad_millis(['event_millis', 'system_millis', 'checkpoint_millis']) }}
        then {{ reason('invalid_timestamp', 'payload.timestamp') }}
    when operation_kind in ('update', 'delete') and not has_before
        then {{ reason('missing_image', 'payload.before.data') }}
    when operation_kind in ('insert', 'update') and not has_after
        then {{ reason('missing_image', 'payload.after.data') }}
    when has_before and operation_kind not in ('update', 'delete')
        then {{ reason('unexpected_image', 'payload.before.data') }}
    when has_after and operation_kind not in ('insert', 'update')
        then {{ reason('unexpected_image', 'payload.after.data') }}
end
{%- endmacro %}
