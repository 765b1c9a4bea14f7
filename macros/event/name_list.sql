{% macro name_list(cell) -%}
if({{ cell }} like '[%', from_json({{ cell }}, 'array<string>'), transform(split({{ cell }}, ','), name -> trim(name)))
{%- endmacro %}
