{#-
    The columns of an image that hold a placeholder instead of their value. Reading all columns of a row is expensive,
    so an image is searched for the placeholders first.
-#}
{% macro debezium_unavailable(image, placeholders) -%}
{%- set has_placeholder -%}
{%- for number in range(9) -%}
contains({{ image }}, {{ placeholders }}[{{ number }}]){{ ' or ' if not loop.last }}
{%- endfor -%}
{%- endset -%}
map_keys(map_filter(
    read_columns(if({{ has_placeholder }}, {{ image }}, null)),
    (name, text) -> array_contains({{ placeholders }}, text)
))
{%- endmacro %}
