{#- timestamp_millis raises on overflow, so the range is checked first: 1970 up to the last millisecond of 9999. -#}
{% macro timestamp_from_millis(millis) -%}
if(
    {{ millis }} rlike r'^[0-9]{1,15}\z' and cast({{ millis }} as bigint) <= 253402300799999,
    timestamp_millis(cast({{ millis }} as bigint)),
    null
)
{%- endmacro %}
