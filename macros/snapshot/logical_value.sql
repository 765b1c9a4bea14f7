{% macro logical_value(text, kind, is_cut=false, is_number='false') -%}
{%- set name = kind.split('(')[0] | trim -%}
{%- set whole = 'if(' ~ text ~ " rlike r'^-?[0-9]+\\z', try_cast(" ~ text ~ ' as bigint), null)' -%}
{%- if name == 'date_days' -%}
if({{ whole }} between -719162 and 2932896, date_add(date '1970-01-01', cast({{ whole }} as int)), null)
{%- elif name == 'timestamp_nanos' -%}
{%- set micros = timestamp_of_micros('floor(' ~ whole ~ ' / cast(1000 as decimal(4, 0)))') -%}
{{ micros if is_cut else 'if(' ~ whole ~ ' % 1000 = 0, ' ~ micros ~ ', null)' }}
{%- elif name in ('time_millis', 'time_micros', 'time_nanos') -%}
{%- set digits = {'time_millis': 3, 'time_micros': 6, 'time_nanos': 9}[name] -%}
{%- set second = 10 ** digits -%}
if(
    {{ whole }} between 0 and {{ 86400 * second - 1 }},
    format_string(
        '%02d:%02d:%02d', {{ whole }} div {{ 3600 * second }}, {{ whole }} div {{ 60 * second }} % 60,
        {{ whole }} div {{ second }} % 60
    ) || rtrim('.', rtrim('0', '.' || lpad(cast({{ whole }} % {{ second }} as string), {{ digits }}, '0'))),
    null
)
{%- elif name == 'decimal_base64' -%}
{#- A DECIMAL of MySQL may have 65 digits; values with more than 38 do not fit. Oracle's NUMBER(20,-5) is a whole number
    of 25 digits, PostgreSQL's numeric(3,5) has 5 digits after the point. -#}
{%- set digits = kind.split('(')[1][:-1].split(',') | map('int') | list if '(' in kind else [38, 0] -%}
{%- set scale = digits[1] | default(0) -%}
{%- set places = [[scale, 0] | max, 38] | min -%}
{%- set type = 'decimal(' ~ [[digits[0] - [scale, 0] | min, places] | max, 38] | min ~ ',' ~ places ~ ')' -%}
transform(
    array(if(
        {{ is_number }}, {{ text }}, {{ decimal_from_bytes('decode_base64(' ~ text ~ ').result', scale) | indent(4) }}
    )),
    number -> {{ exact_decimal('number', type) | indent(4) }}
)[0]
{%- elif name == 'decimal_struct' -%}
{%- set number = decimal_from_bytes(
    'decode_base64(get_json_object(' ~ text ~ ", '$.value')).result", 'get_json_object(' ~ text ~ ", '$.scale')"
) -%}
{%- if '(' in kind -%}
transform(
    array({{ number | indent(4) }}),
    number -> {{ exact_decimal('number', kind | replace('decimal_struct', 'decimal')) | indent(4) }}
)[0]
{%- else -%}
{{ number }}
{%- endif -%}
{%- elif name == 'bit_base64_little' -%}
{{ bits_from_bytes(
    "unhex(array_join(reverse(regexp_extract_all(hex(decode_base64(" ~ text ~ ").result), '(..)', 1)), ''))"
) }}
{%- endif -%}
{%- endmacro %}
