{#- A clause of table properties: `watershed.made_from`, the hash of the definition of a relation, and others. -#}
{% macro table_properties(made_from='', others={}) -%}
{%- set properties = dict(others, **({'watershed.made_from': made_from} if made_from else {})) -%}
{%- if properties -%}
tblproperties (
    {%- for name, value in properties.items() %}
    {{ sql_text(name) }} = {{ sql_text(value | string) }}{{ ',' if not loop.last }}
    {%- endfor %}
)
{%- endif -%}
{%- endmacro %}
