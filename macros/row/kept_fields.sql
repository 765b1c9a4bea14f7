{#- The fields of a change that the fold keeps for later runs, in their order, of the struct named. -#}
{% macro kept_fields(change) -%}
{%- for name in [
    'change_order', 'change_id', 'change_type', 'image_scope', 'row_image', 'sequence_number', 'event_at',
    'before_hash', 'is_soft_deleted',
] -%}
{{ change }}.{{ name }} as {{ name }}{{ ", " if not loop.last }}
{%- endfor -%}
{%- endmacro %}
