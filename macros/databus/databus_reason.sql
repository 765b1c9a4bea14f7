{#- Why an event cannot be used, or null: what the two base models read is judged here. -#}
{% macro databus_reason() -%}
case
    when is_data is null then {{ reason('missing_table', 'srcId') }}
    -- A mark is one of its window; what a change lacks is judged in events.
    when not is_data and sequence_number is null then {{ reason('missing_sequence', 'sequence') }}
    when not is_data then null
    when operation_kind = 'upsert' and not has_value then {{ reason('missing_image', 'value') }}
    when has_value and schema_text is null then {{ reason('avro_unknown_schema', 'schema id of the value') }}
    when avro.error_code is not null then named_struct('code', avro.error_code, 'detail', avro.error_detail)
end
{%- endmacro %}
