{#- Tells copies of a change from others; not from itself with another image, which key_moves may have made of it. -#}
{% macro change_hash(change) -%}
xxhash64({{ change }}.change_id, {{ change }}.image_scope, {{ change }}.row_image)
{%- endmacro %}
