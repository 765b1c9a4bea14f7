{#- The columns of row_states that say its newest change, but for the image, of the struct named. -#}
{% macro last_fields(change) -%}
{{ change }}.change_id as last_change_id,
{{ change }}.change_type as last_change_type,
{{ change }}.image_scope as last_image_scope,
{{ change }}.before_hash as last_before_hash,
{{ change }}.is_soft_deleted as last_is_soft_deleted,
{{ change }}.sequence_number as sequence_number,
{{ change }}.event_at as event_at,
{{ change }}.change_order as change_order
{%- endmacro %}
