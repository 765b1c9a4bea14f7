with renamed as (
    select
        * except (database_name, schema_name, table_name, null_in_both),
        ---------- identity
        -- Sequence, time and images, because a sequence may be unique within its second only; without both, the
        -- position. DDL with a time that is copied to every partition counts once.
        {{ change_id([
            'source_name', 'database_name', 'schema_name', 'table_name', 'operation_kind', 'image.side',
            'if(is_ddl and event_seconds is not null, null, sequence_number)',
            'if(is_row_change, null, struct(operation, event_millis, ddl_text))',
            'if(is_row_change, struct(event_millis, images.row_image), null)',
            "if(operation_kind not in ('heartbeat', 'transaction_mark') and sequence_number is null "
            ~ 'and event_seconds is null, struct(topic, partition, offset), null)',
            "if(operation_kind in ('heartbeat', 'transaction_mark'), "
            ~ "struct(topic, partition, system_millis, checkpoint_millis), null)",
            "if(operation_kind = 'transaction_mark' and sequence_number is null, offset, null)",
            'if(reason is null, null, struct(batch_id, topic, partition, offset))',
            'if(emptied_index > 0, emptied_table, null)',
        ], 'image.row_image') }} as change_id,
        if(emptied_table is null, database_name, emptied_table.database_name) as database_name,
        if(emptied_table is null, nullif(schema_name, ''), emptied_table.schema_name) as schema_name,
        if(emptied_table is null, table_name, emptied_table.table_name) as table_name,
        image.row_key as message_key,
        if(image.side = 'postimage' and operation_kind = 'update', null_in_both, null) as null_in_both,
        ---------- change
        {{ change_type('reason', 'operation_kind', 'image.side') }} as change_type,
        -- This format has no marker of a full load, not even a missing sequence.
        false as is_snapshot,
        image.row_image,
        if(image is null, 'none', if(image.side = 'postimage' and missing_columns is not null, 'partial', 'full'))
            as image_scope,
        operation as source_operation,
        ---------- order
        millis_timestamp(event_millis) as event_at,
        millis_timestamp(system_millis) as emitted_at,
        millis_timestamp(checkpoint_millis) as checkpoint_at,
        coalesce(image_index, emptied_index, 0) as event_index,
        -- Without a sequence, only position orders the changes of one second, so images have no rank.
        {{ change_order(
            'is_snapshot', 'order_in_second.sequence', 'order_in_second.serial',
            image_rank('operation_kind', 'image.side', 'sequence_text'),
        ) }} as change_order,
        ---------- provenance, control
        {{ metadata_map(['tenant', 'db_type', 'db_version', 'version', 'checkpoint_time', 'load_fm', 'column_types']) }}
            as source_metadata,
        {{ control_kind('reason', 'operation_kind') }} as control_kind
    from {{ ref('base_oms_dataworks_v2') }}
        lateral view posexplode_outer(images) exploded as image_index, image
        lateral view posexplode_outer(emptied_tables) emptied as emptied_index, emptied_table
)

select
    {{ event_columns(['fold_scope', 'before_hash', 'may_change_key', 'transaction_id', 'ddl_meta_text']) | indent(4) }}
from renamed
