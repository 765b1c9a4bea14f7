{#-
    The known columns that an image lacks, as JSON text; null if there are none or no columns are known. A format with
    full rows should not omit any; if it does, the column did not change.
-#}
{% macro missing_columns(image, known) -%}
nullif(to_json(array_except(json_object_keys({{ known }}), json_object_keys({{ image }}))), '[]')
{%- endmacro %}
