{#-
    The kind of a message: by `op`, else by members that only one of Debezium's other topics has (transaction metadata,
    schema changes, heartbeats, signals and notifications). Null for anything else. The statements of a snapshot
    describe tables; none of them empties one.
-#}
{% macro debezium_kind(is_tombstone, sent, names, origin, statement_kind) -%}
case
    when {{ is_tombstone }} then 'tombstone'
    when {{ sent }}['op'] is not null then {{ envelope_kind(sent ~ "['op']") | indent(4) }}
    when {{ sent }}['status'] in ('BEGIN', 'END') and {{ sent }}['id'] is not null then 'transaction_mark'
    when {{ statement_kind }} in ('TRUNCATE_TABLE', 'DROP_TABLE', 'DROP_DATABASE', 'DROP_SCHEMA')
        and lower(coalesce({{ origin }}['snapshot'], 'false')) in ('', 'false') then 'truncate'
    when array_contains({{ names }}, 'ddl') or array_contains({{ names }}, 'tableChanges') then 'schema_change'
    when {{ names }} in (array('ts_ms'), array('ts_ms', 'ts_ns', 'ts_us')) then 'heartbeat'
    when array_contains({{ names }}, 'aggregate_type') then 'message'
    when {{ sent }}['type'] rlike
        r'^((execute|stop|pause|resume)-snapshot|snapshot-window-(open|close)|log|schema-changes)\z'
        and size(array_except({{ names }}, array('id', 'type', 'data'))) = 0 then 'message'
end
{%- endmacro %}
