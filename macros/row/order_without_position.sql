{#- What the source itself says about the order; changes equal in it are tied, and only their position decides. -#}
{% macro order_without_position(change_order) -%}
struct({{ change_order }}.phase, {{ change_order }}.sequence, {{ change_order }}.serial, {{ change_order }}.image_rank)
{%- endmacro %}
