{#- The names are those of Canal's event types, which several formats share. -#}
{% macro operation_kind(operation, ddl) -%}
case
    when {{ operation }} = 'INSERT' then 'insert'
    when {{ operation }} in ('UPDATE', 'UPDATE_BEFOR', 'UPDATE_BEFORE', 'UPDATE_AFTER') then 'update'
    when {{ operation }} = 'DELETE' then 'delete'
    when {{ operation }} in ('TRUNCATE', 'ERASE') then if({{ spares_tables(ddl) }}, 'schema_change', 'truncate')
    when {{ operation }} = 'QUERY' and {{ ddl }}.kind in ('DROP_DATABASE', 'DROP_SCHEMA')
        and size({{ ddl }}.emptied) > 0 then 'truncate'
    when {{ operation }} in ('CREATE', 'ALTER', 'RENAME', 'QUERY', 'CINDEX', 'DINDEX') then 'schema_change'
    when {{ operation }} in ('TRANSACTION_BEGIN', 'TRANSACTION_END', 'GTID', 'XACOMMIT', 'XAROLLBACK')
        then 'transaction_mark'
    when {{ operation }} in ('MHEARTBEAT', 'HEARTBEAT') then 'heartbeat'
end
{%- endmacro %}
