{#- REPLACE may also send the replaced row. -#}
{% macro change_type(reason, operation_kind, side) -%}
case
    when {{ reason }} is not null then null
    when {{ operation_kind }} = 'update' or ({{ operation_kind }} = 'upsert' and {{ side }} = 'preimage')
        then 'update_' || {{ side }}
    when {{ operation_kind }} in ('insert', 'upsert', 'delete', 'truncate') then {{ operation_kind }}
end
{%- endmacro %}
