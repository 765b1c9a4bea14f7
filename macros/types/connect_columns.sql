{#-
    The columns of a row by the Connect schema of its envelope: that of `after`, or of `before` where it has none. A
    type with a meaning of its own says it behind it, such as "int64 io.debezium.time.Timestamp".
-#}
{% macro connect_columns(schema_text) -%}
{%- set schema_type -%}
struct<fields: array<struct<field: string, fields: array<struct<field: string, type: string, name: string>>>>>
{%- endset -%}
{%- set images -%}
filter(
    from_json({{ schema_text }}, '{{ schema_type }}').fields,
    member -> member.field in ('before', 'after') and member.fields is not null
)
{%- endset -%}
transform(
    array_min({{ images | indent(4) }}).fields,
    member -> named_struct('name', member.field, 'type', concat_ws(' ', member.type, member.name))
)
{%- endmacro %}
