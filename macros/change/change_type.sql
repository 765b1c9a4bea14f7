{#- The type of a change, or null if the event is none or cannot be read. A replacing row may come with the replaced
    one. -#}
{% macro change_type(reason, operation_kind, side) -%}
case
    when {{ reason }} is not null then null
    when {{ operation_kind }} = 'update' or ({{ operation_kind }} = 'upsert' and {{ side }} = 'preimage')
        then 'update_' || {{ side }}
    when {{ operation_kind }} in ('insert', 'upsert', 'delete', 'truncate') then {{ operation_kind }}
end
{%- endmacro %}
