{#-
    A number of at most 38 digits as text, from its big-endian two's complement in bytes and its scale (Kafka Connect's
    Decimal); null beyond. In four parts of 32 bits, since conv has 64 only; of a negative number the complement.
-#}
{% macro decimal_from_bytes(bytes, scale) -%}
{%- set digits = "hex(" ~ bytes ~ ")" -%}
{%- set is_negative = "left(" ~ digits ~ ", 1) >= '8'" -%}
{%- set padded -%}
if(
    {{ is_negative }},
    translate(lpad({{ digits }}, 32, 'F'), '0123456789ABCDEF', 'FEDCBA9876543210'),
    lpad({{ digits }}, 32, '0')
)
{%- endset -%}
{%- set sum = namespace(sql='cast(if(' ~ is_negative ~ ', 1, 0) as decimal(38, 0))') -%}
{%- for part in range(4) -%}
    {%- set number = "cast(conv(substr(" ~ padded ~ ", " ~ (25 - 8 * part) ~ ", 8), 16, 10) as decimal(38, 0))" -%}
    {%- set sum.sql = "try_add(" ~ sum.sql ~ ", try_multiply(" ~ number ~ ", cast('" ~ 2 ** (32 * part)
        ~ "' as decimal(38, 0))))" -%}
{%- endfor -%}
if(
    length({{ digits }}) between 2 and 32,
    transform(array(struct(cast({{ sum.sql }} as string) as digits, cast({{ scale }} as int) as scale)), number ->
        if({{ is_negative }}, '-', '') || case
            when number.scale <= 0 then number.digits || repeat('0', -number.scale)
            else left(
                lpad(number.digits, greatest(length(number.digits), number.scale + 1), '0'),
                greatest(length(number.digits), number.scale + 1) - number.scale
            ) || '.' || right(lpad(number.digits, greatest(length(number.digits), number.scale + 1), '0'), number.scale)
        end
    )[0],
    null
)
{%- endmacro %}
