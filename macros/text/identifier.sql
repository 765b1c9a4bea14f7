{% macro identifier(column) -%}
`{{ (column.alias if column.alias is defined else column.name) | replace('`', '``') }}`
{%- endmacro %}
