{% macro connect_columns(schema_text) -%}
{%- set parameters = 'parameters: struct<scale: string, `connect.decimal.precision`: string, length: string>' -%}
{%- set fields = 'array<struct<field: string, type: string, name: string, ' ~ parameters ~ '>>' -%}
{%- set schema_type = 'struct<fields: array<struct<field: string, fields: ' ~ fields ~ '>>>' -%}
{%- set images -%}
filter(
    from_json({{ schema_text }}, '{{ schema_type }}').fields,
    member -> member.field in ('before', 'after') and member.fields is not null
)
{%- endset -%}
transform(
    array_min({{ images | indent(4) }}).fields,
    member -> named_struct('name', member.field, 'type', concat_ws(' ', member.type, member.name || case
        when endswith(member.name, 'Decimal') and member.parameters.scale is not null
            then '(' || coalesce(member.parameters.`connect.decimal.precision`, '38') || ','
                || member.parameters.scale || ')'
        when member.parameters.length is not null then '(' || member.parameters.length || ')'
        else ''
    end))
)
{%- endmacro %}
