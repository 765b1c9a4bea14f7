{#- dbt-spark runs the query for no row to know its columns, once for each view; to analyze it is enough. -#}
{% macro spark__get_columns_in_query(select_sql) %}
    {{ return(run_query('describe query ' ~ select_sql).columns[0].values() | list) }}
{% endmacro %}
