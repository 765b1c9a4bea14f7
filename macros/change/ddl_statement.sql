{#- Parses a statement with the names in its message; an empty name counts as missing. -#}
{% macro ddl_statement(ddl_text, database_name, schema_name, table_name) -%}
read_ddl(
    nullif({{ ddl_text }}, '')
    {%- for name in (database_name, schema_name, table_name) %},
    nullif({{ name }}, '')
    {%- endfor %}
)
{%- endmacro %}
