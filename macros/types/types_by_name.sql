{% macro types_by_name(columns) -%}
if(
    array_size(array_distinct(array_compact({{ columns }}.name))) = array_size({{ columns }}),
    nullif(to_json(map_from_arrays({{ columns }}.name, {{ columns }}.type)), '{}'),
    null
)
{%- endmacro %}
