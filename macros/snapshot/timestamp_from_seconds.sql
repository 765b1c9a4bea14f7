{#- A fraction after 13 digits counts from the second, so only whole seconds can have one. -#}
{% macro timestamp_from_seconds(text) -%}
{%- set seconds_text -%}
regexp_replace(regexp_replace(
        {{ text }}, r'^([0-9]{10})000([.][0-9]*)?\z', '$1$2'), r'^([0-9]{10})([0-9]{3})\z', '$1.$2')
{%- endset -%}
case
    when not {{ seconds_text }} rlike r'^([0-9]{1,12}([.][0-9]{0,9})?|-[0-9]{1,12}([.]0{0,9})?)\z' then null
    else {{ timestamp_of_micros(
        'cast(split_part(' ~ seconds_text ~ ", '.', 1) as decimal(38, 0)) * 1000000 + "
        ~ 'cast(rpad(left(split_part(' ~ seconds_text ~ ", '.', 2), 6), 6, '0') as int)"
    ) | indent(4) }}
end
{%- endmacro %}
