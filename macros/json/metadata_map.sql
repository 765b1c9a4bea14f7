{% macro metadata_map(columns) -%}
text_map(
    array({% for column in columns %}'{{ column.split('.')[-1] }}'{{ ", " if not loop.last }}{% endfor %}),
    array({% for column in columns %}cast({{ column }} as string){{ ", " if not loop.last }}{% endfor %})
)
{%- endmacro %}
