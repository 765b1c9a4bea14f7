{#- A time, from 1970 to the last millisecond of 9999, in one call: expressions would make much generated code. -#}
{% macro timestamp_from_millis(millis) -%}
millis_timestamp({{ millis }})
{%- endmacro %}
