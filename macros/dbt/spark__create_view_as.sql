{#-
    As in dbt-spark, with the hash of its definition among its properties. Columns described in the YAML are listed by
    name, and Spark rejects a query with other columns. dbt-spark first queries the columns, which makes Spark analyze
    the view twice.
-#}
{% macro spark__create_view_as(relation, sql) -%}
{%- set columns = model.columns if config.persist_column_docs() else {} -%}
{%- set names = '`' ~ columns | join('`, `') ~ '`' -%}
create or replace view {{ relation }} {{ '(' ~ get_persist_docs_column_list(columns, columns) ~ ')' if columns }}
    {{ comment_clause() }}
    tblproperties ('watershed.made_from' = '{{ made_from(sql) }}')
as
{{ 'select ' ~ names ~ ', * except (' ~ names ~ ') from (\n' ~ sql ~ '\n)' if columns else sql }}
{%- endmacro %}
