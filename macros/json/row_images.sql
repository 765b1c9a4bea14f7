{#- The row images of a message in the order of their events: preimage, then postimage, whichever
    have columns. -#}
{% macro row_images(before_image, after_image) -%}
filter(
    array(
        named_struct('side', 'preimage', 'row_image', {{ before_image }}),
        named_struct('side', 'postimage', 'row_image', {{ after_image }})
    ),
    image -> image.row_image <> '{}'
)
{%- endmacro %}
