{#-
    The images that make up a row, oldest first: those behind its last removal, from its last full or moved image on. The changes
    are an array of structs in their order; no image is left if the row is removed.
-#}
{% macro live_images(changes) -%}
if(
    size({{ changes }}) = 1,
    if({{ is_removal(changes ~ '[0]') }}, array(), array({{ changes }}[0].row_image)),
    transform(
        slice(
            {{ changes }},
            greatest(
                1,
                array_max(transform({{ changes }}, (change, place) -> if({{ is_removal('change') }}, place + 2, 0))),
                array_max(transform(
                    {{ changes }},
                    (change, place) -> if({{ starts_anew('change') }}, place + 1, 0)
                ))
            ),
            size({{ changes }})
        ),
        change -> change.row_image
    )
)
{%- endmacro %}
