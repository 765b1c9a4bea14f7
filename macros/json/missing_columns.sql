{#-
    The columns that an image lacks, of those that are known: as JSON text, null if there are none, or nothing is known.
    A format of whole rows should not leave one out; where it does, the column did not change.
-#}
{% macro missing_columns(image, known) -%}
nullif(to_json(array_except(json_object_keys({{ known }}), json_object_keys({{ image }}))), '[]')
{%- endmacro %}
