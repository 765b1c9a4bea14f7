{#- Reads a statement with the names that its message gives. Of messages without a statement no name goes to Python. -#}
{% macro ddl_statement(ddl_text, database_name, schema_name, table_name) -%}
read_ddl(
    nullif({{ ddl_text }}, '')
    {%- for name in (database_name, schema_name, table_name) %},
    if({{ ddl_text }} <> '', nullif({{ name }}, ''), null)
    {%- endfor %}
)
{%- endmacro %}
