{#- A number as the nearest float or double; null if it would become infinite, or zero without being zero. -#}
{% macro finite_number(text, type) -%}
if(
    {{ text }} rlike r'^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,4})?\z'
    and abs(try_cast({{ text }} as {{ type }})) < double('infinity')
    and (try_cast({{ text }} as {{ type }}) <> 0 or not {{ text }} rlike r'^[^eE]*[1-9]'),
    try_cast({{ text }} as {{ type }}),
    null
)
{%- endmacro %}
