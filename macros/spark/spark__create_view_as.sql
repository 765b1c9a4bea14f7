{#-
    As dbt-spark makes it, with the hash of what it is made from among its properties. Columns that the YAML describes
    are taken by name, and Spark refuses a query that has more of them. dbt-spark asks what columns the query has
    first, so that Spark analyzes all that a view reads twice.
-#}
{% macro spark__create_view_as(relation, sql) -%}
{%- set columns = model.columns if config.persist_column_docs() else {} -%}
{%- set names = [] -%}
{%- for name in columns -%}{%- do names.append(adapter.quote(name)) -%}{%- endfor -%}
create or replace view {{ relation }}
    {%- if columns %} (
        {{ get_persist_docs_column_list(columns, columns) }}
    )
    {%- endif %}
    {{ comment_clause() }}
    tblproperties ('watershed.made_from' = '{{ made_from(sql) }}')
as
{%- if columns %}
select {{ names | join(', ') }}, * except ({{ names | join(', ') }}) from (
{{ sql }}
)
{%- else %}
{{ sql }}
{%- endif %}
{%- endmacro %}
