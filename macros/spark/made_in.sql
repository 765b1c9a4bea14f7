{#-
    Which run made the table of a model, as its properties note it: a table made anew is another. 'unknown' if nothing
    says it. dbt does not list yet what the present node makes, whose hooks already ask: this run makes it.
-#}
{% macro made_in(name) -%}
    {%- set relation = load_cached_relation(model_relation(name)) -%}
    {%- if relation is none and model.name == name -%}{{ return(invocation_id) }}{%- endif -%}
    {{ return(
        'unknown' if relation is none or relation.is_view else relation_state(relation).made_in | default('unknown')
    ) }}
{%- endmacro %}
