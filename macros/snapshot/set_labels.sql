{#- The labels of a SET's bit mask, joined by commas as MySQL writes them; the lowest bit is the first label. -#}
{% macro set_labels(text, declared_type) -%}
{%- set bits = 'reverse(conv(' ~ text ~ ', 10, 2))' -%}
{%- set labels = type_labels(declared_type) | indent(4) -%}
if(
    {{ text }} rlike r'^[0-9]{1,20}\z' and try_cast({{ text }} as decimal(38, 0)) <= 18446744073709551615
    and length({{ bits }}) <= size({{ labels }}),
    array_join(filter({{ labels }}, (label, place) -> substr({{ bits }}, place + 1, 1) = '1'), ','),
    null
)
{%- endmacro %}
