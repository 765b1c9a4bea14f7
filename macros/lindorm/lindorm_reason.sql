{#- Why a Lindorm message cannot be read, or null. A missing key is accepted, and so is an update without
    its before image. -#}
{% macro lindorm_reason() -%}
case
    when operation_kind = 'tombstone' then null
    when opened.error_code is not null
        then named_struct('code', opened.error_code, 'detail', opened.error_detail)
    when operation is null then {{ reason('missing_operation', 'payload.op') }}
    when operation_kind is null then {{ reason('unknown_operation', 'payload.op') }}
    when (is_row_change or operation_kind = 'truncate') and table_name is null
        then {{ reason('missing_table', 'payload.source.table') }}
    when (is_row_change or operation_kind = 'truncate') and source_millis is not null and sequence_number is null
        then {{ reason('invalid_sequence', 'payload.source.ts_ms') }}
    when {{ is_bad_millis(['source_millis', 'emitted_millis']) }}
        then {{ reason('invalid_timestamp', 'payload.source.ts_ms, payload.ts_ms') }}
    when operation_kind = 'delete' and not has_before and key_image is null
        then {{ reason('missing_image', 'payload.before') }}
    when operation_kind in ('insert', 'upsert', 'update') and not has_after
        then {{ reason('missing_image', 'payload.after') }}
    when has_before and operation_kind not in ('update', 'delete')
        then {{ reason('unexpected_image', 'payload.before') }}
    when has_after and operation_kind not in ('insert', 'upsert', 'update')
        then {{ reason('unexpected_image', 'payload.after') }}
end
{%- endmacro %}
