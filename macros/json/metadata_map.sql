{#- Further fields of the message by name (for a member of a struct, the member's name); absent ones are omitted. No
    lambda, because Spark does not generate code for lambdas. -#}
{% macro metadata_map(columns) -%}
map_concat(
    cast(map() as map<string, string>)
    {%- for column in columns %},
    if({{ column }} is null, map(), map('{{ column.split('.')[-1] }}', cast({{ column }} as string)))
    {%- endfor %}
)
{%- endmacro %}
