{#- The events of a message: its row images, the row before first, or one per table that a statement empties. -#}
{% macro debezium_images(preimage, postimage, emptied_tables) -%}
coalesce(
    {{ row_images(preimage, postimage) | indent(4) }},
    transform({{ emptied_tables }}, name -> named_struct(
        'side', cast(null as string), 'row_image', cast(null as string), 'row_key', name
    ))
)
{%- endmacro %}
