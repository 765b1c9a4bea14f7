{% macro typed_column(column, kind) -%}
{%- set name = sql_text(column.name) -%}
{{ typed_value(
    column_text(column), kind,
    time_zone=sql_text(column.time_zone) if column.time_zone else 'time_zone',
    declared_type=sql_text(column.type) if '(' in column.type else 'declared_types[' ~ name ~ ']',
    is_cut=column.keep_text,
    is_number='not endswith(pick_key(row_image, array(' ~ name ~ ")), '\"}')"
) }}
{%- endmacro %}
