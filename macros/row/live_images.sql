{#-
    The images of the changes that make a row up (an array in their order), of which the row is all, one on the other. Of
    Canal's updates most say the whole row: then only the last, which spares the step through Python.
-#}
{% macro live_images(live_changes) -%}
if(
    try_element_at({{ live_changes }}, -1).image_scope = 'given'
    and coalesce(size(array_except(
        flatten(transform({{ live_changes }}, change -> json_object_keys(change.row_image))),
        json_object_keys(try_element_at({{ live_changes }}, -1).row_image)
    )) = 0, false),
    array(try_element_at({{ live_changes }}, -1).row_image),
    transform({{ live_changes }}, change -> change.row_image)
)
{%- endmacro %}
