{#- Only a seed without rows is made here, since dbt does not call spark__load_csv_rows for it. -#}
{% macro spark__create_csv_table(model, agate_table) %}
    {%- do check_seed_columns(model, agate_table.column_names) -%}
    {%- set sql -%}
create or replace table {{ this }} (
        {%- for name in agate_table.column_names %}
    {{ name }} {{ model['config'].get('column_types', {}).get(name, 'string') }}{{ "," if not loop.last }}
        {%- endfor %}
) using delta
    {%- endset -%}
    {%- if agate_table.rows | length == 0 -%}
        {%- do run_query(sql) -%}
    {%- endif -%}
    {{ return(sql) }}
{% endmacro %}
