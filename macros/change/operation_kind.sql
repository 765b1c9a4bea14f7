{#- What a log operation does. The names are those of Canal's event types, which several formats share. -#}
{% macro operation_kind(operation) -%}
case
    when {{ operation }} = 'INSERT' then 'insert'
    when {{ operation }} in ('UPDATE', 'UPDATE_BEFOR', 'UPDATE_BEFORE', 'UPDATE_AFTER') then 'update'
    when {{ operation }} = 'DELETE' then 'delete'
    when {{ operation }} in ('TRUNCATE', 'ERASE') then 'truncate'
    when {{ operation }} in ('CREATE', 'ALTER', 'RENAME', 'QUERY', 'CINDEX', 'DINDEX') then 'schema_change'
    when {{ operation }} in ('TRANSACTION_BEGIN', 'TRANSACTION_END', 'GTID', 'XACOMMIT', 'XAROLLBACK')
        then 'transaction_mark'
    when {{ operation }} in ('MHEARTBEAT', 'HEARTBEAT') then 'heartbeat'
end
{%- endmacro %}
