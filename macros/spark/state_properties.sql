{#- What relation_state reads, as table properties, beside others. -#}
{% macro state_properties(state, others={}) -%}
tblproperties (
    {%- for name, value in others.items() %}
    {{ sql_text(name) }} = {{ sql_text(value | string) }},
    {%- endfor %}
    {%- for name, value in state.items() %}
    {{ sql_text('watershed.' ~ name) }} = {{ sql_text(value | string) }}{{ ',' if not loop.last }}
    {%- endfor %}
)
{%- endmacro %}
