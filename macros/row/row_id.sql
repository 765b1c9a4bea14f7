{#-
    A row_name as one value: null database or schema names count as values, which = in a merge would not do. 128 bits:
    every merge reads it of all rows, and no two of 10^12 rows are likely to share it.
-#}
{% macro row_id(name) -%}
unhex(left(sha2(to_json({{ name }}), 256), 32))
{%- endmacro %}
