with renamed as (
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
            "if(operation_kind <> 'heartbeat' and not is_snapshot and sequence_number is null "
            ~ 'and event_seconds is null, struct(topic, partition, offset), null)',
            'if(is_row_change, null, struct(ddl_kind, ddl_text))', "if(operation_kind = 'heartbeat', "
            ~ "struct(topic, partition, checkpoint, if(event_seconds is null, offset, null)), null)",
            'if(reason is null, null, struct(batch_id, topic, partition, offset))',
            'if(emptied_index > 0, emptied_table, null)',
        ], 'image.row_image') }} as change_id,
        if(emptied_table is null, database_name, emptied_table.database_name) as database_name,
        if(emptied_table is null, table_name, emptied_table.table_name) as table_name,
        if(operation_kind = 'update' and image.side = 'postimage', null_in_both, null) as null_in_both,
        ---------- change
        {{ change_type('reason', 'operation_kind', 'image.side') }} as change_type,
        image.row_image,
        if(image is null, 'none', if(image.side = 'postimage' and missing_columns is not null, 'partial', 'full'))
            as image_scope,
        operation as source_operation,
        ---------- order
        timestamp_seconds(event_seconds) as event_at,
        -- In a full load `checkpoint` contains key values.
        if(not is_snapshot and checkpoint rlike r'^[0-9]{10}\z', timestamp_seconds(cast(checkpoint as bigint)), null)
            as checkpoint_at,
        coalesce(image_index, emptied_index, 0) as event_index,
        {{ change_order(
            'is_snapshot', 'order_in_second.sequence', 'order_in_second.serial',
            image_rank('operation_kind', 'image.side', 'order_in_second.serial'),
        ) }} as change_order,
        ---------- provenance, control
        {{ metadata_map([
            'tenant', 'db_type', 'unique_id', 'source_identity', 'cluster_id', 'checkpoint', 'record_primary_value',
            'column_types',
        ]) }} as source_metadata,
        {{ control_kind('reason', 'operation_kind') }} as control_kind,
        if(reason is null, ddl_kind, null) as ddl_kind
    from {{ ref('base_oms_default__messages') }}
        lateral view posexplode_outer(images) exploded as image_index, image
        lateral view posexplode_outer(emptied_tables) emptied as emptied_index, emptied_table
)

select
    {{ event_columns([
        'schema_name', 'message_key', 'fold_scope', 'before_hash', 'may_change_key', 'emitted_at', 'ddl_meta_text',
    ]) | indent(4) }}
from renamed
