{#- What else the vendor says, by name (of a struct's member, the member's); what it does not say is left out. No
    lambda: Spark compiles none. -#}
{% macro metadata_map(columns) -%}
map_concat(
    cast(map() as map<string, string>)
    {%- for column in columns %},
    if({{ column }} is null, map(), map('{{ column.split('.')[-1] }}', cast({{ column }} as string)))
    {%- endfor %}
)
{%- endmacro %}
