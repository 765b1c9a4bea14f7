{#- What else the vendor says, by name; what it does not say is left out. -#}
{% macro metadata_map(columns) -%}
map_filter(
    map({% for column in columns %}'{{ column }}', cast({{ column }} as string){{ ", " if not loop.last }}{% endfor %}),
    (name, text) -> text is not null
)
{%- endmacro %}
