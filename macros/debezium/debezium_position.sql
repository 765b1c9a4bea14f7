{#- Several changes may share Oracle's scn, so an index inside of it is required. Those of a MongoDB transaction share
    ord, and those of a transaction that MySQL compressed share all: their order in the transaction is required. -#}
{% macro debezium_position(origin, total_order) -%}
{%- set logs = {
    "nullif(origin['file'], '') is not null and origin['pos'] is not null": ['file', 'pos', 'row', 'gtid', 'server_id'],
    "origin['lsn'] is not null": ['lsn', 'txId'],
    "origin['change_lsn'] is not null": ['commit_lsn', 'change_lsn', 'event_serial_no'],
    "origin['scn'] is not null and coalesce(origin['rs_id'], origin['lcr_position'], origin['txSeq']) is not null":
        ['scn', 'commit_scn', 'rs_id', 'ssn', 'lcr_position', 'redo_thread', 'txId', 'txSeq'],
    "origin['ord'] is not null and (origin['lsid'] is null or " ~ total_order ~ " is not null)":
        ['ts_ms', 'ord', 'h', 'lsid', 'txnNumber', 'stxnid', 'tord', 'wallTime'],
    "origin['commit_ts'] is not null": ['commit_ts'],
} -%}
case
    {%- for condition, fields in logs.items() %}
    when {{ condition | replace('origin', origin) }}
        then to_json(struct(
            {%- for field in fields %}{{ origin }}['{{ field }}'] as {{ field }}, {% endfor -%}
            if(coalesce({{ origin }}['ord'], {{ origin }}['file']) is null, null, {{ total_order }}) as total_order
        ))
    {%- endfor %}
end
{%- endmacro %}
