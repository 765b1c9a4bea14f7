{#- try_cast would also accept white space, a sign, a fraction and an exponent. -#}
{% macro whole_number(text) -%}
if({{ text }} rlike r'^[0-9]{1,38}\z', cast({{ text }} as decimal(38, 0)), null)
{%- endmacro %}
