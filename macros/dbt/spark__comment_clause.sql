{#- dbt-spark does not escape backslashes. -#}
{% macro spark__comment_clause() -%}
{{ 'comment ' ~ sql_text(model.description) if config.persist_relation_docs() }}
{%- endmacro %}
