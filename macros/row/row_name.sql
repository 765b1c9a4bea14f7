{#- What names a row among all: nulls in it count as values. Databus rows are named by the key of the event, which a
    delete without a value has too. -#}
{% macro row_name(key="coalesce(event_key, row_key)") -%}
struct(source_name, format, database_name, schema_name, table_name, {{ key }} as row_key)
{%- endmacro %}
