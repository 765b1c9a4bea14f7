{#- As dbt makes it; a test of large tables is compiled. -#}
{% macro spark__get_test_sql(main_sql, fail_calc, warn_if, error_if, limit) -%}
    {%- do fit_session() -%}
    {{ dbt.default__get_test_sql(main_sql, fail_calc, warn_if, error_if, limit) }}
{%- endmacro %}
