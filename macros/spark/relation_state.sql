{#- What Watershed noted in the properties of a table, without the prefix of the names. -#}
{% macro relation_state(relation) -%}
    {%- set state = {} -%}
    {%- for row in run_query('show tblproperties ' ~ relation) if row[0].startswith('watershed.') -%}
        {%- do state.update({row[0][10:]: row[1]}) -%}
    {%- endfor -%}
    {{ return(state) }}
{%- endmacro %}
