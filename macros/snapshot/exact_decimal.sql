{#- Java producers write 0.0000001 as 1E-7 and a zero of ten digits as 0E-10, so exponents are applied. -#}
{% macro exact_decimal(text, type) -%}
{%- set scale = type[8:-1].split(',')[1] | trim if ',' in type else '0' -%}
{%- set whole = "regexp_extract(" ~ text ~ ", r'^[+-]?([0-9]*)', 1)" -%}
{%- set fraction = "regexp_extract(" ~ text ~ ", r'^[+-]?[0-9]*[.]?([0-9]*)', 1)" -%}
{%- set digits = "rtrim('0', " ~ whole ~ " || " ~ fraction ~ ")" -%}
{%- set exponent = "coalesce(try_cast(regexp_extract(" ~ text ~ ", r'[eE]([+-]?[0-9]{1,3})\\z', 1) as int), 0)" -%}
case
    when not {{ text }} rlike r'^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,3})?\z' then null
    -- Spark cannot parse a zero with a large exponent (0E38).
    when {{ digits }} = '' then cast(0 as {{ type }})
    when length({{ digits }}) - length({{ whole }}) - {{ exponent }} <= {{ scale }}
        then try_cast({{ text }} as {{ type }})
end
{%- endmacro %}
