{#- A mask of 0 has no labels, so it needs no type. -#}
{% macro set_labels(text, declared_type) -%}
{%- set bits = "rtrim('0', reverse(conv(" ~ text ~ ', 10, 2)))' -%}
{%- set labels = 'coalesce(' ~ type_labels(declared_type) | indent(4) ~ ', array())' -%}
if(
    {{ text }} rlike r'^[0-9]{1,20}\z' and try_cast({{ text }} as decimal(38, 0)) <= 18446744073709551615
    and length({{ bits }}) <= size({{ labels }}),
    array_join(filter({{ labels }}, (label, place) -> substr({{ bits }}, place + 1, 1) = '1'), ','),
    null
)
{%- endmacro %}
