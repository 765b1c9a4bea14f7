{#- MySQL: file, pos and row. PostgreSQL: the LSN. SQL Server: change_lsn (commit_lsn of a snapshot), whose hexadecimal
    parts have at most 10, 10 and 5 decimal digits, and event_serial_no. Db2: change_lsn, of 16 bytes; those in use
    begin with four zero bytes, and all 40 digits would not fit. Oracle: scn and ssn. MongoDB: second and ord. TiCDC:
    commit_ts. -#}
{% macro debezium_sequence(origin) -%}
{%- set lsn = "coalesce(" ~ origin ~ "['change_lsn'], " ~ origin ~ "['commit_lsn'])" -%}
cast(case
    when {{ origin }}['file'] rlike r'[.][0-9]{1,10}\z' and {{ origin }}['pos'] rlike r'^[0-9]{1,16}\z'
        and coalesce({{ origin }}['row'], '0') rlike r'^[0-9]{1,10}\z'
        then regexp_extract({{ origin }}['file'], r'[.]([0-9]+)\z', 1) || lpad({{ origin }}['pos'], 16, '0')
            || lpad(coalesce({{ origin }}['row'], '0'), 10, '0')
    when {{ origin }}['lsn'] rlike r'^[0-9]{1,20}\z' then {{ origin }}['lsn']
    when {{ lsn }} rlike r'^[0-9A-Fa-f]{8}:[0-9A-Fa-f]{8}:[0-9A-Fa-f]{4}\z'
        and coalesce({{ origin }}['event_serial_no'], '0') rlike r'^[0-9]{1,10}\z'
        then conv(left({{ lsn }}, 8), 16, 10) || lpad(conv(substr({{ lsn }}, 10, 8), 16, 10), 10, '0')
            || lpad(conv(right({{ lsn }}, 4), 16, 10), 5, '0')
            || lpad(coalesce({{ origin }}['event_serial_no'], '0'), 10, '0')
    when {{ lsn }} rlike r'^0{8}:[0-9A-Fa-f]{8}:[0-9A-Fa-f]{16}\z'
        then conv(substr({{ lsn }}, 10, 8), 16, 10) || lpad(conv(right({{ lsn }}, 16), 16, 10), 20, '0')
    when {{ origin }}['scn'] rlike r'^[0-9]{1,20}\z' and coalesce({{ origin }}['ssn'], '0') rlike r'^[0-9]{1,10}\z'
        then {{ origin }}['scn'] || lpad(coalesce({{ origin }}['ssn'], '0'), 10, '0')
    when {{ origin }}['ord'] rlike r'^[0-9]{1,10}\z' and {{ origin }}['ts_ms'] rlike r'^[0-9]{4,15}\z'
        then left({{ origin }}['ts_ms'], length({{ origin }}['ts_ms']) - 3) || lpad({{ origin }}['ord'], 10, '0')
    when {{ origin }}['commit_ts'] rlike r'^[0-9]{1,38}\z' then {{ origin }}['commit_ts']
end as decimal(38, 0))
{%- endmacro %}
