{#- One text that names a row: null database or schema names count as values, which = in a merge would not do. Databus
    rows are named by the key of the event, which a delete without a value has too. -#}
{% macro row_id(key="coalesce(source_metadata['event_key'], row_key)") -%}
sha2(to_json(struct(source_name, format, database_name, schema_name, table_name, {{ key }} as row_key)), 256)
{%- endmacro %}
