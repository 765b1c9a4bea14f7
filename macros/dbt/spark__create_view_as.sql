{#- Spark rejects a query with other columns than the listed ones. dbt-spark first queries the columns, which makes
    Spark analyze the view twice. -#}
{% macro spark__create_view_as(relation, sql) -%}
{%- set names, described = [], [] -%}
{%- for column in model.columns.values() if config.persist_column_docs() -%}
    {%- do names.append(identifier(column)) -%}
    {%- do described.append(names[-1] ~ (' comment ' ~ sql_text(column.description) if column.description else '')) -%}
{%- endfor -%}
{%- set names = names | join(', ') -%}
create or replace view {{ relation }} {{ '(' ~ described | join(', ') ~ ')' if names }}
    {{ comment_clause() }}
    tblproperties ('watershed.definition_hash' = '{{ definition_hash(sql) }}')
as
{{ 'select ' ~ names ~ ', * except (' ~ names ~ ') from (\n' ~ sql ~ '\n)' if names else sql }}
{%- endmacro %}
