{% macro typed_column(column, kind) -%}
{{ typed_value(
    column_text(column), kind,
    time_zone=sql_text(column.time_zone) if column.time_zone else 'time_zone',
    declared_type=sql_text(column.type) if '(' in column.type else 'declared_types[' ~ sql_text(column.name) ~ ']',
    is_cut=column.keep_text
) }}
{%- endmacro %}
