{% macro debezium_is_key_only(image, message_key, fills_with_nulls) -%}
{%- set is_filled = fills_with_nulls ~ " and contains(" ~ image ~ ", ':null')" -%}
coalesce(size(array_except(
    if(
        {{ is_filled }},
        map_keys(map_filter(read_columns(if({{ is_filled }}, {{ image }}, null)), (name, text) -> text is not null)),
        json_object_keys({{ image }})
    ),
    json_object_keys({{ message_key }})
)) = 0, false)
{%- endmacro %}
