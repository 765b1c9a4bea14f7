with renamed as (
    select
        * except (database_name, table_name, null_in_both, ddl_kind),
        ---------- identity
        -- `posttime`, `idx` and `size` differ in a redelivery. The number may be the same for all messages, so
        -- everything about the row identifies the change too. DDL that is copied to every partition counts once;
        -- without time and number, only position distinguishes two equal changes.
        {{ change_id([
            'source_name', 'database_name', 'table_name', 'operation', 'image.side', 'time', 'ddl_text',
            'if(is_row_change, struct(sequence_number, seq, trans, row_identity, images.row_image), null)',
            'if(event_at is null, struct(sequence_number), null)',
            'if(event_at is null and sequence_number is null, struct(topic, partition, offset), null)',
            'if(reason is null, null, struct(batch_id, topic, partition, offset))',
            'if(emptied_index > 0, emptied_table, null)',
        ], 'image.row_image') }} as change_id,
        if(emptied_table is null, database_name, emptied_table.database_name) as database_name,
        if(emptied_table is null, table_name, emptied_table.table_name) as table_name,
        if(operation = 'upd' and image.side = 'postimage', null_in_both, null) as null_in_both,
        ---------- change
        {{ change_type('reason', 'operation_kind', 'image.side') }} as change_type,
        false as is_snapshot,
        image.row_image,
        -- The after image is the whole row if `key` is the whole row and has all changed columns.
        case
            when image is null then 'none'
            when operation <> 'upd' then 'full'
            when is_key_full and (image.side = 'preimage' or is_data_in_key) then 'full'
            else if(image.side = 'preimage', 'key', 'partial')
        end as image_scope,
        operation as source_operation,
        ---------- order
        trans as transaction_id,
        coalesce(image_index, emptied_index, 0) as event_index,
        -- All changes of a transaction may share one number: only position orders them, and the images of an update.
        {{ change_order('false', 'order_in_second.sequence', 'order_in_second.serial', '1') }} as change_order,
        ---------- provenance, control
        {{ metadata_map(['time', 'posttime', 'seq', 'idx', 'size', 'trans', 'rowid', 'scn']) }} as source_metadata,
        {{ control_kind('reason', 'operation_kind') }} as control_kind,
        if(reason is null, ddl_kind, null) as ddl_kind
    from {{ ref('base_oms_shareplex') }}
        lateral view posexplode_outer(images) exploded as image_index, image
        lateral view posexplode_outer(emptied_tables) emptied as emptied_index, emptied_table
)

select
    {{ event_columns(absent=[
        'schema_name', 'key_columns', 'fold_scope', 'before_hash', 'missing_columns', 'checkpoint_at', 'ddl_meta_text',
    ]) | indent(4) }}
from renamed
