{#- As dbt-spark makes it, with a note of the run that makes the table, and of which table it is folded from and how far. -#}
{% macro spark__tblproperties_clause() -%}
    {%- set state = {'made_in': invocation_id} -%}
    {%- if model.meta.folded_from -%}
        {%- do state.update({'folded_from': made_in(model.meta.folded_from)}) -%}
        {%- do state.update(run_notes().get('state of ' ~ this, {})) -%}
    {%- endif -%}
    {{ state_properties(state, file_properties()) }}
{%- endmacro %}
