{#- The tables that a TRUNCATE or DROP empties: those of its statement, else that of the message. No lambda: Spark compiles
    none. -#}
{% macro emptied_tables(ddl, database_name, schema_name, table_name) -%}
case
    when size({{ ddl }}.emptied) > 0 then {{ ddl }}.emptied
    when {{ table_name }} is not null then array(named_struct(
        'database_name', {{ database_name }}, 'schema_name', {{ schema_name }}, 'table_name', {{ table_name }}
    ))
end
{%- endmacro %}
