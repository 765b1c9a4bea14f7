{#- In four parts of 32 bits, because conv is limited to 64 bits; for negative numbers from the complement. -#}
{% macro decimal_from_bytes(bytes, scale) -%}
{%- set sum = namespace(sql='cast(if(number.is_negative, 1, 0) as decimal(38, 0))') -%}
{%- for part in range(4) -%}
    {%- set bits = "cast(conv(substr(number.bits, " ~ (25 - 8 * part) ~ ", 8), 16, 10) as decimal(38, 0))" -%}
    {%- set factor = "cast('" ~ 2 ** (32 * part) ~ "' as decimal(38, 0))" -%}
    {%- set sum.sql = 'try_add(' ~ sum.sql ~ ', try_multiply(' ~ bits ~ ', ' ~ factor ~ '))' -%}
{%- endfor -%}
transform(transform(
    array(struct(
        hex({{ bytes }}) as digits,
        try_cast(regexp_extract(cast({{ scale }} as string), r'^-?[0-9]+\z', 0) as int) as scale
    )),
    number -> struct(
        -- PostgreSQL has no larger scale; with one, a short value could fill the memory.
        if(number.scale between -16383 and 16383, number.scale, null) as scale,
        number.digits >= '8' as is_negative,
        case
            when not length(number.digits) between 2 and 32 then null
            when number.digits < '8' then lpad(number.digits, 32, '0')
            else translate(lpad(number.digits, 32, 'F'), '0123456789ABCDEF', 'FEDCBA9876543210')
        end as bits
    )),
    number -> transform(
        array(lpad(
            cast({{ sum.sql }} as string), greatest(number.scale + 1, length(cast({{ sum.sql }} as string))), '0'
        )),
        digits -> if(number.is_negative, '-', '') || if(
            number.scale <= 0,
            digits || repeat('0', -number.scale),
            left(digits, length(digits) - number.scale) || '.' || right(digits, number.scale)
        )
    )[0]
)[0]
{%- endmacro %}
