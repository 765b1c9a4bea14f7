{#- A value as a SQL text literal, whatever characters it holds. -#}
{% macro sql_text(value) -%}
'{{ spark__escape_single_quotes(value) }}'
{%- endmacro %}
