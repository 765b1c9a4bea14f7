{#- A value as a SQL text literal, with all characters escaped. -#}
{% macro sql_text(value) -%}
'{{ spark__escape_single_quotes(value) }}'
{%- endmacro %}
