{#- As in dbt-spark, with the properties of the file format and, if the model has one, its definition hash. -#}
{% macro spark__tblproperties_clause() -%}
    {%- set step = build_step_of(sql) if config.get('materialized') == 'incremental_table' else {} -%}
    {{ table_properties(step.made_from, file_properties()) }}
{%- endmacro %}
