{#- Which run made the table of a model, as its properties note it: a table made anew is another. 'unknown' if nothing
    says it. -#}
{% macro made_in(name) -%}
    {%- set relation = load_cached_relation(model_relation(name)) -%}
    {{ return(
        'unknown' if relation is none or relation.is_view else relation_state(relation).made_in | default('unknown')
    ) }}
{%- endmacro %}
