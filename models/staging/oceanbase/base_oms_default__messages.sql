with messages as (
    select * from {{ ref('base_oms_default') }}
    union all
    select * from {{ ref('base_oms_default_extend_column_type') }}
),

parsed as (
    select
        * except (column_types),
        if(operation = 'DDL', get_json_object(after_image, '$.ddl'), null) as ddl_text,
        -- Only OceanBase puts a tenant before the first dot, and not always.
        if(db_type rlike '^(OB|OCEANBASE)' and contains(db, '.'), substring_index(db, '.', 1), null) as tenant,
        nullif(if(tenant is null, db, substr(db, length(tenant) + 2)), '') as database_name,
        read_ddl(ddl_text, database_name, null, table_name) as ddl,
        if(operation = 'DDL', coalesce(nullif(ddl_type, ''), ddl.kind, operation), null) as ddl_kind,
        case
            when operation in ('INSERT', 'UPDATE', 'DELETE') then lower(operation)
            when operation in ('ROW', 'REPLACE') then 'upsert'
            when operation = 'HEARTBEAT' then 'heartbeat'
            when ddl_kind in ('TRUNCATE_TABLE', 'TRUNCATE', 'DROP_TABLE', 'ERASE') and not {{ spares_tables('ddl') }}
                then 'truncate'
            -- DROP DATABASE, and statements whose code does not contain their kind.
            when
                operation = 'DDL' and size(ddl.emptied) > 0
                and coalesce(ddl_type rlike r'^(|DDL|QUERY|OTHER|DROP_(DATABASE|SCHEMA).*)\z', true)
                then 'truncate'
            when operation = 'DDL' then 'schema_change'
        end as operation_kind,
        coalesce(operation_kind in ('insert', 'update', 'delete', 'upsert'), false) as is_row_change,
        coalesce(operation = 'ROW', false) as is_snapshot,
        coalesce(before_image, '{}') <> '{}' as has_before,
        coalesce(after_image, '{}') <> '{}' as has_after,
        if(is_row_change, messages.column_types, null) as column_types,
        {{ emptied_tables('operation_kind', 'ddl', 'database_name', 'cast(null as string)', 'table_name') }} as tables,
        split(nullif(record_primary_key, ''), '\u0001') as key_columns,
        if(
            timestamp_text rlike r'^[0-9]{1,12}\z' and cast(timestamp_text as bigint) <= 253402300799,
            cast(timestamp_text as bigint),
            null
        ) as event_seconds,
        {{ whole_number('sequence_text') }} as sequence_number,
        {{ order_in_second('sequence_text', 'event_seconds') }} as order_in_second,
        ---------- checks: keys are read from the images, so key values are only counted
        coalesce(open_error, case
            when operation is null then {{ reason('missing_operation', 'recordType') }}
            when operation_kind is null then {{ reason('unknown_operation', 'recordType') }}
            when (is_row_change and coalesce(table_name, '') = '') or (operation_kind = 'truncate' and tables is null)
                then {{ reason('missing_table', 'allMetaData.table_name') }}
            when not sequence_text rlike r'^([0-9]{1,38}|null|)\z'
                then {{ reason('invalid_sequence', 'allMetaData.storeDataSequence') }}
            when event_seconds is null and timestamp_text not in ('', '-1', 'null')
                then {{ reason('invalid_timestamp', 'allMetaData.timestamp') }}
            when operation in ('UPDATE', 'DELETE') and not has_before then {{ reason('missing_image', 'prevStruct') }}
            when is_row_change and operation <> 'DELETE' and not has_after
                then {{ reason('missing_image', 'postStruct') }}
            when operation = 'DDL' and coalesce(ddl_text, '') = '' and coalesce(ddl_type, '') = ''
                then {{ reason('missing_image', 'postStruct.ddl') }}
            when has_before and operation not in ('UPDATE', 'REPLACE', 'DELETE')
                then {{ reason('unexpected_image', 'prevStruct') }}
            when has_after and operation in ('DELETE', 'HEARTBEAT') then {{ reason('unexpected_image', 'postStruct') }}
            when
                is_row_change and array_size(split(nullif(record_primary_value, ''), '\u0001'))
                <> coalesce(array_size(key_columns), 0)
                then {{ reason('key_mismatch', 'allMetaData.record_primary_key, record_primary_value') }}
        end) as reason,
        if(reason is null, tables, null) as emptied_tables,
        if(reason is null and is_row_change, {{ row_images('before_image', 'after_image') }}, null) as images
    from messages
)

select
    * except (
        before_image, db, record_primary_key, sequence_text, timestamp_text, ddl_type, open_error, ddl, has_before,
        has_after, tables
    )
from parsed
