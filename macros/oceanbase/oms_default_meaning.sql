{#- What a message of the Default formats means, by its named members. The tenant stands before the first dot of `db`,
    for OceanBase only, and may be missing. -#}
{% macro oms_default_meaning() -%}
if(operation = 'DDL', get_json_object(after_image, '$.ddl'), null) as ddl_text,
if(db_type rlike '^(OB|OCEANBASE)' and contains(db, '.'), substring_index(db, '.', 1), null) as tenant,
nullif(if(tenant is null, db, substr(db, length(tenant) + 2)), '') as database_name,
{{ ddl_statement('ddl_text', 'database_name', 'null', 'table_name') }} as ddl,
if(operation = 'DDL', coalesce(nullif(ddl_type, ''), ddl.kind, operation), null) as ddl_kind,
case
    when operation in ('INSERT', 'UPDATE', 'DELETE') then lower(operation)
    when operation in ('ROW', 'REPLACE') then 'upsert'
    when operation = 'HEARTBEAT' then 'heartbeat'
    when ddl_kind in ('TRUNCATE_TABLE', 'TRUNCATE', 'DROP_TABLE', 'ERASE') and not {{ spares_tables('ddl') }}
        then 'truncate'
    -- DROP DATABASE, and statements whose code names no kind.
    when operation = 'DDL' and size(ddl.emptied) > 0 and (
        coalesce(ddl_type, '') in ('', 'DDL', 'QUERY', 'OTHER') or ddl_type rlike '^DROP_(DATABASE|SCHEMA)'
    ) then 'truncate'
    when operation = 'DDL' then 'schema_change'
end as operation_kind,
coalesce(operation_kind in ('insert', 'update', 'delete', 'upsert'), false) as is_row_change,
coalesce(operation = 'ROW', false) as is_snapshot,
coalesce(before_image, '{}') <> '{}' as has_before,
coalesce(after_image, '{}') <> '{}' as has_after,
if(
    operation_kind = 'truncate',
    {{ emptied_tables('ddl', 'database_name', 'cast(null as string)', "nullif(table_name, '')") | indent(4) }},
    null
) as tables,
split(nullif(record_primary_key, ''), '\u0001') as key_columns,
if(
    timestamp_text rlike r'^[0-9]{1,12}\z' and cast(timestamp_text as bigint) <= 253402300799,
    cast(timestamp_text as bigint),
    null
) as event_seconds,
if(sequence_text rlike r'^[0-9]{1,38}\z', cast(sequence_text as decimal(38, 0)), null) as sequence_number,
-- A full load says key values here.
if(
    not is_snapshot and checkpoint rlike r'^[0-9]{10}\z', timestamp_seconds(cast(checkpoint as bigint)), null
) as checkpoint_at
{%- endmacro %}
