{#- No lambda, because Spark does not generate code for lambdas. -#}
{% macro emptied_tables(ddl, database_name, schema_name, table_name) -%}
case
    when size({{ ddl }}.emptied) > 0
        and ({{ table_name }} is not null or {{ ddl }}.emptied[0].table_name is null) then {{ ddl }}.emptied
    when {{ table_name }} is not null then array(named_struct(
        'database_name', {{ database_name }}, 'schema_name', {{ schema_name }}, 'table_name', {{ table_name }}
    ))
end
{%- endmacro %}
