{#- The column's name in the snapshot; vendor names are data, so every name is quoted. -#}
{% macro identifier(column) -%}
`{{ (column.alias if column.alias is defined else column.name) | replace('`', '``') }}`
{%- endmacro %}
