{#-
    The types that a message gives its columns, as a JSON object in the order in which it names them. A list with a name
    given twice, or with none, says nothing that could be relied on.
-#}
{% macro types_by_name(columns) -%}
if(
    array_size(array_distinct(array_compact({{ columns }}.name))) = array_size({{ columns }}),
    nullif(to_json(map_from_arrays({{ columns }}.name, {{ columns }}.type)), '{}'),
    null
)
{%- endmacro %}
