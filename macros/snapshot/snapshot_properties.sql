{#- The state of a typed snapshot as table properties, beside others. -#}
{% macro snapshot_properties(state, others={}) -%}
tblproperties (
    {%- for name, value in others.items() %}
    {{ sql_text(name) }} = {{ sql_text(value | string) }},
    {%- endfor %}
    {%- for name, value in state.items() %}
    {{ sql_text('watershed.' ~ name) }} = {{ sql_text(value | string) }}{{ ',' if not loop.last }}
    {%- endfor %}
)
{%- endmacro %}
