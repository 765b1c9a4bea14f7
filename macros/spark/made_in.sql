{#-
    Which run made the table of a model, as its properties note it: a table made anew is another. 'unknown' if nothing
    says it. What dbt has not listed is being made by this run: its hooks already ask.
-#}
{% macro made_in(name) -%}
    {%- set relation = load_cached_relation(model_relation(name)) -%}
    {%- if relation is none -%}{{ return(invocation_id) }}{%- endif -%}
    {{ return('unknown' if relation.is_view else relation_state(relation).made_in | default('unknown')) }}
{%- endmacro %}
