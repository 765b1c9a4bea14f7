{#-
    A position such as mysql-bin.000006:800911 as one number that grows along the binlog: the number of the file, then
    16 digits of the offset. Null for any other text.
-#}
{% macro maxwell_sequence(log_position) -%}
if(
    {{ log_position }} rlike r'[.][0-9]{1,10}:[0-9]{1,16}\z',
    cast(
        regexp_extract({{ log_position }}, r'[.]([0-9]+):[0-9]+\z', 1)
        || lpad(regexp_extract({{ log_position }}, r':([0-9]+)\z', 1), 16, '0') as decimal(38, 0)
    ),
    null
)
{%- endmacro %}
