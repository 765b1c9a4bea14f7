{% macro timestamp_of_micros(micros) -%}
if({{ micros }} between -62135596800000000 and 253402300799999999, timestamp_micros(cast({{ micros }} as bigint)), null)
{%- endmacro %}
