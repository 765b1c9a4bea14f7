{#-
    Tells copies of a change from others, and from itself with another content: key_moves may have made it another image,
    a replay reads it with other settings.
-#}
{% macro change_hash(change) -%}
xxhash64(
    {{ change }}.change_id,
    {{ change }}.change_type,
    {{ change }}.image_scope,
    {{ change }}.row_image,
    {{ change }}.sequence_number,
    {{ change }}.event_at,
    {{ change }}.before_hash
)
{%- endmacro %}
