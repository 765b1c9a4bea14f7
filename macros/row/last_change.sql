{#- The newest change of a row of row_states (an alias) as a struct of kept_fields, if no other change is kept. -#}
{% macro last_change(state) -%}
struct(
    {{ state }}.change_order as change_order,
    {{ state }}.last_change_id as change_id,
    {{ state }}.last_change_type as change_type,
    {{ state }}.last_image_scope as image_scope,
    {{ state }}.row_image as row_image,
    {{ state }}.sequence_number as sequence_number,
    {{ state }}.event_at as event_at,
    {{ state }}.last_before_hash as before_hash,
    {{ state }}.last_is_soft_deleted as is_soft_deleted
)
{%- endmacro %}
