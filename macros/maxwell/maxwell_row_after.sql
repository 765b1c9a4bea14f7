{#- The row after an update, with nulls in the columns that only the row before has. Rows without such columns do not go
    through Python. -#}
{% macro maxwell_row_after(data, null_names) -%}
coalesce(
    overlay_images(if(
        size({{ null_names }}) > 0,
        array({{ data }}, to_json(map_from_arrays(
            {{ null_names }}, transform({{ null_names }}, name -> cast(null as string))
        ))),
        null
    )),
    {{ data }}
)
{%- endmacro %}
