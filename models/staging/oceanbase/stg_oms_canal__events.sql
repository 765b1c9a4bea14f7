with renamed as (
    select
        * except (database_name, table_name, ddl_kind, value),
        ---------- identity
        -- Copies of a statement, one per partition, count once; a row is identified by its position.
        {{ change_id([
            'source_name', 'source_database', 'source_table', 'operation', 'image.side', 'image.old',
            'if(reason is null and ddl_kind is not null, struct(event_millis, statement), null)',
            "if(reason is null and ddl_kind is not null and nullif(event_millis, '0') is not null, null, "
            ~ 'struct(topic, partition, offset, image_index))',
            'if(reason is null, null, batch_id)', 'if(emptied_index > 0, emptied_table, null)',
        ], 'image.data') }} as change_id,
        if(emptied_table is null, database_name, emptied_table.database_name) as database_name,
        if(emptied_table is null, table_name, emptied_table.table_name) as table_name,
        -- The before image is the after image, overlaid with the previous values of changed columns.
        overlay_images(
            if(operation_kind = 'update' and image.old is not null, array(image.data, image.old), null)
        ) as row_before,
        -- An unchanged LOB of OMS. Native Canal, whose messages have an id, sends every value.
        if(image.side = 'postimage' and message_id is null, null_columns(row_before, image.data), null) as null_in_both,
        ---------- change
        {{ change_type('reason', 'operation_kind', 'image.side') }} as change_type,
        coalesce(operation in ('ROW', 'INIT'), false) as is_snapshot,
        if(operation_kind = 'update' and image.side = 'preimage', row_before, image.data) as row_image,
        -- Three signs of a partial row: the types contain a column that the row lacks; `old` is empty, although no
        -- log contains an update without a change; a primary-key update has only the key and changed columns.
        case
            when image is null then 'none'
            when operation_kind in ('insert', 'upsert') then 'full'
            when only_handle_key = 'true' then 'key'
            when image.old = '{}' or image.lacks_columns then 'partial'
            when operation_kind = 'update' and image.changes_key and not image.has_unchanged_columns then 'partial'
            else 'full'
        end as image_scope,
        -- A message has many rows: in quarantine, each after the first keeps only its own bytes.
        if(image_index > 0, encode(image.data, 'UTF-8'), value) as value,
        operation as source_operation,
        case
            when image is null or operation_kind <> 'update' or image.side = 'preimage' then null
            -- All declared columns are present, so the image is the whole row, except for LOBs (NOBLOB, see `events`).
            when image_scope = 'full' and (image.old is null or image.has_unchanged_columns) then 'declared'
            when image.changes_key then 'partial'
            else 'given'
        end as fold_scope,
        ---------- order
        millis_timestamp(nullif(event_millis, '0')) as event_at,
        millis_timestamp(nullif(built_millis, '0')) as emitted_at,
        nullif(gtid, '') as transaction_id,
        coalesce(image_index, emptied_index, 0) as event_index,
        -- The format has no sequence: position is the order, also between the images of one row.
        {{ change_order('is_snapshot', 'null', 'null', '0') }} as change_order,
        ---------- provenance, control
        if(operation_kind = 'transaction_mark', nullif(statement, ''), null) as sql,
        {{ metadata_map(['message_id', 'is_ddl', 'column_types', 'sql']) }} as source_metadata,
        {{ control_kind('reason', 'operation_kind') }} as control_kind,
        if(reason is null, ddl_kind, null) as ddl_kind,
        if(ddl_kind is not null, statement, null) as ddl_text
    from {{ ref('base_oms_canal') }}
        lateral view posexplode_outer(images) exploded as image_index, image
        lateral view posexplode_outer(emptied_tables) emptied as emptied_index, emptied_table
)

select
    {{ event_columns([
        'schema_name', 'message_key', 'before_hash', 'missing_columns', 'may_change_key', 'sequence_number',
        'checkpoint_at', 'ddl_meta_text',
    ]) | indent(4) }}
from renamed
