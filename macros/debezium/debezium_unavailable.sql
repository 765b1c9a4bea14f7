{#- Reading all columns of a row is expensive, so an image is searched for the placeholders first. -#}
{% macro debezium_unavailable(image, placeholders) -%}
map_keys(map_filter(
    read_columns(if(exists(slice({{ placeholders }}, 1, 9), text -> contains({{ image }}, text)), {{ image }}, null)),
    (name, text) -> array_contains({{ placeholders }}, text)
))
{%- endmacro %}
