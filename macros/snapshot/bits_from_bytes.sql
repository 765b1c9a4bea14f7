{% macro bits_from_bytes(bytes) -%}
{%- set digits = "ltrim('0', hex(" ~ bytes ~ '))' -%}
if(length({{ digits }}) <= 16, cast(conv('0' || {{ digits }}, 16, 10) as decimal(20, 0)), null)
{%- endmacro %}
