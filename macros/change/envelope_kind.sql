{#- The kind of an operation of Debezium's envelope (`op`), which Lindorm shares; null for an unknown one. -#}
{% macro envelope_kind(operation) -%}
map(
    'c', 'insert', 'r', 'upsert', 'u', 'update', 'd', 'delete', 't', 'truncate', 'm', 'message',
    -- OMS writes it where Debezium uses a separate topic.
    'HEARTBEAT', 'heartbeat'
)[{{ operation }}]
{%- endmacro %}
