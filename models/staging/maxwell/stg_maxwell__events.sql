-- One row per event; base_maxwell opens and checks the messages.
with renamed as (
    select
        *,
        ---------- order: second, then transaction and position in it; the last row of a transaction has no xoffset
        millis_timestamp(event_millis) as event_at,
        cast(unix_seconds(event_at) as decimal(38, 0)) as event_second,
        is_row_change and reason is null and event_at is not null and xid is not null as has_serial,
        has_serial and coalesce(commit = 'true' or xoffset is not null, false) as has_place_in_transaction,
        if(has_serial, cast(xid || lpad(
            if(commit = 'true', '9999999999', coalesce(xoffset, '0')), 10, '0'
        ) as decimal(38, 0)), null) as serial,
        coalesce(image_index, 0) as event_index,
        -- Without xoffset, the position in the topic orders the rows of a transaction, preimages included.
        {{ change_order(
            'is_snapshot', 'event_second', 'serial',
            image_rank('operation_kind', 'image.side', 'if(has_place_in_transaction, serial, null)'),
        ) | indent(8) }} as change_order,
        -- mysql-bin.000006:800911 as one number that grows along the binlog: the file, then 16 digits of the offset.
        if(
            not is_snapshot and log_position rlike r'[.][0-9]{1,10}:[0-9]{1,16}\z',
            cast(
                regexp_extract(log_position, r'[.]([0-9]+):[0-9]+\z', 1)
                || lpad(regexp_extract(log_position, r':([0-9]+)\z', 1), 16, '0') as decimal(38, 0)
            ),
            null
        ) as sequence_number,
        xid as transaction_id,
        ---------- identity: the position in the log, else in the transaction, else in the topic
        case
            when is_snapshot and coalesce(size(key_columns), 0) = 0 then to_json(struct(topic, partition, offset))
            when not is_row_change or is_snapshot then to_json(struct(time, log_position, statement))
            when log_position is not null then to_json(struct(log_position, server_id, xid, xoffset, commit))
            when xid is not null then to_json(struct(time, server_id, xid, xoffset, commit))
            else to_json(struct(topic, partition, offset))
        end as place,
        {{ change_id([
            'source_name', 'source_database', 'source_table', 'operation', 'image.side', 'old', 'place',
            'if(reason is null, null, struct(batch_id, topic, partition, offset))',
        ], 'image.row_image') }} as change_id,
        ---------- change
        {{ change_type('reason', 'operation_kind', 'image.side') }} as change_type,
        image.row_image,
        case
            when image is null then 'none'
            -- For an update without `old` and for a delete, the log may contain only the key and the new values.
            when operation_kind = 'update' and not has_before then 'partial'
            when operation_kind = 'delete' and size(array_except(column_names, key_columns)) = 0 then 'key'
            else 'full'
        end as image_scope,
        -- The same is possible for a primary-key update; `old` is then the old key. Any other update has all columns
        -- except for unchanged LOBs (NOBLOB, see `events`).
        if(
            has_before and image.side = 'postimage',
            if(arrays_overlap(changed_names, key_columns), 'partial', 'declared'), null
        ) as fold_scope,
        operation as source_operation,
        ---------- provenance, control
        if(is_statement, old, null) as old_def,
        {{ metadata_map([
            'xoffset', 'commit', 'log_position', 'gtid', 'server_id', 'thread_id', 'schema_id', 'primary_key',
            'comment', 'query', 'def', 'old_def',
        ]) }} as source_metadata,
        {{ control_kind('reason', 'operation_kind') }} as control_kind,
        if(reason is null and is_statement, operation, null) as ddl_kind,
        if(is_statement, statement, null) as ddl_text
    from {{ ref('base_maxwell') }}
        lateral view posexplode_outer(images) exploded as image_index, image
)

select
    {{ event_columns(absent=[
        'schema_name', 'message_key', 'null_in_both', 'before_hash', 'missing_columns', 'may_change_key', 'emitted_at',
        'checkpoint_at', 'ddl_meta_text',
    ]) | indent(4) }}
from renamed
