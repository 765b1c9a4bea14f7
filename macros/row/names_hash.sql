{#-
    Tells images of the same columns, for changes that leave the columns that they lack alone: of those the newest says all
    that the others say. Null for all other changes, for which it does not matter.
-#}
{% macro names_hash(change) -%}
if(
    {{ change }}.image_scope in ('given', 'partial') and not {{ is_removal(change) }},
    xxhash64(coalesce(to_json(array_sort(json_object_keys({{ change }}.row_image))), {{ change }}.change_id)),
    null
)
{%- endmacro %}
