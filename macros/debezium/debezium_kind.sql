{#- By `op`, else by the members of Debezium's other topics. A flattened row may have columns with such names, so no
    other member is allowed, and a statement needs `source`. Statements of a snapshot, and those of the schema history
    (without a time), only describe tables. -#}
{% macro debezium_kind(is_tombstone, is_envelope, sent, names, origin, empties_tables) -%}
case
    when {{ is_tombstone }} then 'tombstone'
    when {{ is_envelope }} and {{ sent }}['op'] is not null then {{ envelope_kind(sent ~ "['op']") | indent(4) }}
    when {{ sent }}['status'] in ('BEGIN', 'END') and {{ sent }}['id'] is not null
        and arrays_overlap({{ names }}, array('event_count', 'ts_ms')) and size(array_except({{ names }}, array(
            'status', 'id', 'event_count', 'data_collections', 'ts_ms', 'ts_us', 'ts_ns'
        ))) = 0 then 'transaction_mark'
    when {{ origin }} is not null and arrays_overlap({{ names }}, array('ddl', 'tableChanges')) then if(
        ({{ empties_tables }}) and lower(coalesce({{ origin }}['snapshot'], 'false')) in ('', 'false')
        and {{ origin }}['ts_ms'] is not null,
        'truncate', 'schema_change'
    )
    when {{ names }} in (array('ts_ms'), array('ts_ms', 'ts_ns', 'ts_us')) then 'heartbeat'
    when array_contains({{ names }}, 'aggregate_type') and size(array_except({{ names }}, array(
        'id', 'aggregate_type', 'type', 'additional_data', 'timestamp'
    ))) = 0 then 'message'
    when {{ sent }}['type'] rlike
        r'^((execute|stop|pause|resume)-snapshot|snapshot-window-(open|close)|log|schema-changes|set-binlog-position)\z'
        and size(array_except({{ names }}, array('id', 'type', 'data'))) = 0 then 'message'
end
{%- endmacro %}
