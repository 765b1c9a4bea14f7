{#- As dbt-spark makes it, with the hash of what it is made from among its properties. -#}
{% macro spark__create_view_as(relation, sql) -%}
create or replace view {{ relation }}
    {%- if config.persist_column_docs() %} (
        {{ get_persist_docs_column_list(model.columns, get_columns_in_query(sql)) }}
    )
    {%- endif %}
    {{ comment_clause() }}
    tblproperties ('watershed.made_from' = '{{ made_from(sql) }}')
as
{{ sql }}
{%- endmacro %}
