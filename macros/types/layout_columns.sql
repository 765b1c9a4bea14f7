{#- A layout of int_column_layouts as a map: column names and their types, or no types if the messages contain none. -#}
{% macro layout_columns(layout, has_types) -%}
if(
    {{ has_types }},
    from_json({{ layout }}, 'map<string, string>'),
    map_from_arrays(
        from_json({{ layout }}, 'array<string>'),
        transform(from_json({{ layout }}, 'array<string>'), name -> cast(null as string))
    )
)
{%- endmacro %}
