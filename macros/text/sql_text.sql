{% macro sql_text(value) -%}
'{{ spark__escape_single_quotes(value) }}'
{%- endmacro %}
