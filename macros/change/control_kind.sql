{% macro control_kind(reason, operation_kind) -%}
if(
    {{ reason }} is null and {{ operation_kind }} not in ('insert', 'upsert', 'update', 'delete', 'truncate'),
    {{ operation_kind }},
    null
)
{%- endmacro %}
