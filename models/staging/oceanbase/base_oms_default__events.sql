-- Rules shared by both Default formats.
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
        {{ ddl_statement('ddl_text', 'database_name', 'null', 'table_name') }} as ddl,
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
        if(operation_kind = 'truncate', {{ emptied_tables(
            'ddl', 'database_name', 'cast(null as string)', "nullif(table_name, '')"
        ) | indent(8) }}, null) as tables,
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
        -- A message that cannot be read is one event, whatever it contains.
        if(reason is null, tables, null) as emptied_tables,
        if(reason is null and is_row_change, {{ row_images('before_image', 'kept_image') }}, null) as images
    from messages
),

renamed as (
    select
        * except (database_name, table_name, null_in_both, ddl_kind),
        ---------- identity
        -- Both images, because a row may return to an earlier state. Without a sequence, second and transaction
        -- distinguish equal contents; without a time too, the position (except in a full load). DDL that is copied to
        -- every partition counts once; heartbeats differ by partition.
        {{ change_id([
            'source_name', 'database_name', 'table_name', 'operation_kind', 'image.side', 'event_seconds',
            'if(is_row_change, struct(sequence_number, if(sequence_number is null, transaction_id, null)), null)',
            'if(is_row_change, images.row_image, null)',
            'if(is_row_change and not is_snapshot and sequence_number is null and event_seconds is null, '
            ~ 'struct(topic, partition, offset), null)',
            'if(is_row_change, null, struct(ddl_kind, ddl_text))', "if(operation_kind = 'heartbeat', "
            ~ "struct(topic, partition, checkpoint, if(event_seconds is null, offset, null)), null)",
            'if(reason is null, null, struct(batch_id, topic, partition, offset))',
            'if(emptied_index > 0, emptied_table, null)',
        ], 'image.row_image') }} as change_id,
        if(emptied_table is null, database_name, emptied_table.database_name) as database_name,
        if(emptied_table is null, table_name, emptied_table.table_name) as table_name,
        -- If the message has no types, `events` may know the LOBs from lob_columns.
        if(operation_kind = 'update' and image.side = 'postimage', null_in_both, null) as null_in_both,
        ---------- change
        {{ change_type('reason', 'operation_kind', 'image.side') }} as change_type,
        image.row_image,
        case
            when image is null then 'none'
            when image.side = 'postimage' and (missing_columns is not null or kept_image <> after_image) then 'partial'
            else 'full'
        end as image_scope,
        operation as source_operation,
        ---------- order
        timestamp_seconds(event_seconds) as event_at,
        -- In a full load `checkpoint` contains key values.
        if(not is_snapshot and checkpoint rlike r'^[0-9]{10}\z', timestamp_seconds(cast(checkpoint as bigint)), null)
            as checkpoint_at,
        coalesce(image_index, emptied_index, 0) as event_index,
        {{ change_order(
            'is_snapshot', 'order_in_second.sequence', 'order_in_second.serial',
            image_rank('image.side', 'order_in_second.serial'), 'coalesce(image_index, emptied_index, 0)',
        ) }} as change_order,
        ---------- provenance, control
        {{ metadata_map([
            'tenant', 'db_type', 'unique_id', 'source_identity', 'cluster_id', 'checkpoint', 'record_primary_value',
            'column_types',
        ]) }} as source_metadata,
        {{ control_kind('reason', 'operation_kind') }} as control_kind,
        if(reason is null, ddl_kind, null) as ddl_kind
    from parsed
        lateral view posexplode_outer(images) exploded as image_index, image
        lateral view posexplode_outer(emptied_tables) emptied as emptied_index, emptied_table
)

select
    {{ event_columns([
        'schema_name', 'message_key', 'fold_scope', 'before_hash', 'may_change_key', 'emitted_at', 'ddl_meta_text',
    ]) | indent(4) }}
from renamed
