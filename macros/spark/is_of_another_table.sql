{#-
    Whether the table of the present node was folded (meta.folded_from) from a table that has been made anew since, so
    that nothing in it counts any more, or does not note what its model reads (meta.notes). Asked once in a run: the
    node asks often, and has noted the answer when it is done.
-#}
{% macro is_of_another_table() -%}
    {%- set standing = load_cached_relation(this) if execute and model.meta.folded_from else none -%}
    {%- if not is_made_table(standing) -%}{{ return(false) }}{%- endif -%}
    {%- set question = 'is_of_another_table ' ~ this -%}
    {%- if question not in run_notes() -%}
        {%- set state = relation_state(this) -%}
        {%- set is_other = model.meta.notes | reject('in', state) | list | length > 0
            or state.folded_from | default('unknown') != made_in(model.meta.folded_from) -%}
        {%- do run_notes().update({question: is_other}) -%}
    {%- endif -%}
    {{ return(run_notes()[question]) }}
{%- endmacro %}
