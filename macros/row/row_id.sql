{#- One text that names a row: null database or schema names count as values, which = in a merge would not do. -#}
{% macro row_id() -%}
sha2(to_json(struct(source_name, format, database_name, schema_name, table_name, row_key)), 256)
{%- endmacro %}
