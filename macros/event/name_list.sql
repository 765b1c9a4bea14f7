{#- A cell of table_keys.csv as an array of names: separated by commas, or a JSON array; null if the cell is empty. -#}
{% macro name_list(cell) -%}
if(
    {{ cell }} like '[%',
    from_json({{ cell }}, 'array<string>'),
    transform(split({{ cell }}, ','), name -> trim(name))
)
{%- endmacro %}
