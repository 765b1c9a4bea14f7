{#- Nothing to empty: spark__load_csv_rows replaces the table as a whole. A seed without rows is replaced here. -#}
{% macro spark__reset_csv_table(model, full_refresh, old_relation, agate_table) %}
    {{ return(create_csv_table(model, agate_table)) }}
{% endmacro %}
