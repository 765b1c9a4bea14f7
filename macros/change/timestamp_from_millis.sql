{#- A time, from 1970 to the last millisecond of 9999. One call: as expressions, it takes a tenth of the generated code. -#}
{% macro timestamp_from_millis(millis) -%}
millis_timestamp({{ millis }})
{%- endmacro %}
