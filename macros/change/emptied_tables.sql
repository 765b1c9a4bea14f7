{#- No lambda, because Spark does not generate code for lambdas. -#}
{% macro emptied_tables(operation_kind, ddl, database_name, schema_name, table_name) -%}
{%- set table = 'nullif(' ~ table_name ~ ", '')" -%}
if({{ operation_kind }} = 'truncate', case
    when size({{ ddl }}.emptied) > 0
        and ({{ table }} is not null or {{ ddl }}.emptied[0].table_name is null) then {{ ddl }}.emptied
    when {{ table }} is not null then array(named_struct(
        'database_name', nullif({{ database_name }}, ''), 'schema_name', nullif({{ schema_name }}, ''),
        'table_name', {{ table }}
    ))
end, null)
{%- endmacro %}
