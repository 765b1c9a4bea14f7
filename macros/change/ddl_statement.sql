{#- Parses a statement with the names in its message. Messages without a statement are not sent to Python. -#}
{% macro ddl_statement(ddl_text, database_name, schema_name, table_name) -%}
read_ddl(
    nullif({{ ddl_text }}, '')
    {%- for name in (database_name, schema_name, table_name) %},
    if({{ ddl_text }} <> '', nullif({{ name }}, ''), null)
    {%- endfor %}
)
{%- endmacro %}
