{% macro envelope_kind(operation) -%}
map(
    'c', 'insert', 'r', 'upsert', 'u', 'update', 'd', 'delete', 't', 'truncate', 'm', 'message',
    -- OMS writes it where Debezium uses a separate topic.
    'HEARTBEAT', 'heartbeat'
)[{{ operation }}]
{%- endmacro %}
