{#- What else the vendor says, by name (of a struct's member, the member's); what it does not say is left out. -#}
{% macro metadata_map(columns) -%}
text_map(
    array(
        {%- for column in columns %}'{{ column.split('.')[-1] }}'{{ ", " if not loop.last }}{% endfor -%}
    ),
    array(
        {%- for column in columns %}cast({{ column }} as string){{ ", " if not loop.last }}{% endfor -%}
    )
)
{%- endmacro %}
