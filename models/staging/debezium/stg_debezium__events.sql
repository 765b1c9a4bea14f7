with source as (
    select
        *,
        {{ debezium_placeholders('source_name') }} as placeholders
    from {{ debezium_messages() }}
),

parsed as (
    select
        *,
        read_ddl(statement, sent['databaseName'], sent['schemaName'], null) as ddl,
        coalesce(ddl.kind, get(table_changes, 0).type || '_TABLE') as statement_kind,
        coalesce(size(ddl.emptied) > 0 and get(ddl.emptied, 0).table_name is null, false) as is_of_database,
        -- SQL Server and Db2 send no statement.
        {{ debezium_kind(
            'is_tombstone', 'is_envelope', 'sent', 'names', 'origin',
            "size(ddl.emptied) > 0 or statement_kind = 'DROP_TABLE'"
        ) | indent(8) }} as operation_kind,
        coalesce(operation_kind in ('insert', 'upsert', 'update', 'delete'), false) as is_row_change,
        operation is null and coalesce(operation_kind in ('truncate', 'schema_change'), false) as is_statement,
        {{ debezium_tables() | indent(8) }} as table_names,
        -- A column whose value Debezium could not read did not change: it is removed from the image.
        {{ debezium_unavailable('sent_before', 'placeholders') | indent(8) }} as unknown_before,
        {{ debezium_unavailable('sent_after', 'placeholders') | indent(8) }} as unknown_after,
        if(size(unknown_before) > 0, drop_columns(sent_before, unknown_before), sent_before) as before_image,
        if(size(unknown_after) > 0, drop_columns(sent_after, unknown_after), sent_after) as after_image,
        operation = 'd' and origin['connector'] = 'postgresql' as fills_with_nulls,
        {{ debezium_is_key_only('before_image', 'message_key', 'fills_with_nulls') | indent(8) }} as is_key_only,
        {{ debezium_reason() | indent(8) }} as reason,
        -- The record key identifies the row after an update. Columns that differ from it are not its key (MongoDB).
        coalesce(if(
            operation_kind = 'update' and pick_key(after_image, json_object_keys(message_key)) = message_key,
            pick_key(before_image, json_object_keys(message_key)), null
        ), message_key) as key_before,
        case
            when not is_row_change or reason is not null then null
            when operation_kind = 'delete' and (is_key_only or coalesce(before_image, '{}') = '{}') then message_key
            -- A before image that contains only the key adds nothing, unless the key is another one.
            when not is_key_only or key_before <> message_key then before_image
        end as preimage,
        if(is_row_change and reason is null, after_image, null) as postimage,
        if(reason is null and is_statement and operation_kind = 'truncate', table_names, null) as emptied_tables,
        {{ row_images('preimage', 'postimage') | indent(8) }} as images
    from source
),

renamed as (
    select
        * except (message_key),
        ---------- change
        case image.side when 'preimage' then key_before when 'postimage' then message_key end as message_key,
        nullif(coalesce(
            if(is_of_database, get(ddl.emptied, 0).database_name, null), sent['databaseName'], origin['db']
        ), '') as database_name,
        nullif(coalesce(sent['schemaName'], origin['schema']), '') as schema_name,
        coalesce(emptied_table, get(table_names, 0)) as table_name,
        {{ change_type('reason', 'operation_kind', 'image.side') }} as change_type,
        coalesce(operation_kind = 'upsert', false) as is_snapshot,
        image.row_image,
        case
            when image.row_image is null then 'none'
            when image.side = 'preimage' and (is_key_only or image.row_image = message_key) then 'key'
            when image.side = 'preimage' then if(size(unknown_before) > 0, 'partial', 'full')
            else if(size(unknown_after) > 0 or has_fields, 'partial', 'full')
        end as image_scope,
        coalesce(operation, sent['status'], get(table_changes, 0).type) as source_operation,
        ---------- order
        -- Heartbeats and transaction marks have no `source` block.
        {{ debezium_time('coalesce(origin, sent)') | indent(8) }} as event_at,
        {{ debezium_time('sent') | indent(8) }} as emitted_at,
        {{ debezium_sequence('origin') | indent(8) }} as sequence_number,
        coalesce(
            origin['txId'], in_transaction.id, origin['gtid'],
            -- A mark of PostgreSQL: transaction and log position, which differs between begin and end.
            if(operation_kind = 'transaction_mark', regexp_replace(sent['id'], r'^([0-9]+):[0-9]+\z', '$1'), null)
        ) as transaction_id,
        coalesce(image_index, emptied_index, 0) as event_index,
        -- Position is the order of snapshot rows too: a later snapshot repairs the rows before it.
        {{ change_order('false', 'null', 'null', '0') | indent(8) }} as change_order,
        ---------- identity: the position in the source log (of snapshot rows, that of its start), else in the topic
        {{ debezium_position('origin', 'in_transaction.total_order') | indent(8) }} as log_position,
        case
            when operation_kind = 'transaction_mark' then sent['status'] || sent['id']
            -- Rows of a table without a key may be equal.
            when is_snapshot and message_key is null then to_json(struct(topic, partition, offset))
            when is_snapshot and (event_at is not null or log_position is not null) then sent['source']
            else coalesce(log_position, to_json(struct(topic, partition, offset)))
        end as place,
        {{ change_id([
            'source_name', 'database_name', 'schema_name', 'table_name', 'operation_kind', 'image.side', 'message_key',
            'place', "coalesce(sent['ddl'], sent['message'])",
            'if(reason is null, null, struct(batch_id, topic, partition, offset))',
        ], 'image.row_image') }} as change_id,
        ---------- provenance, control
        {{ connect_columns('connect_schema') | indent(8) }} as typed_columns,
        if(is_row_change, {{ types_by_name('typed_columns') | indent(8) }}, null) as column_types,
        nullif(to_json(if(image.side = 'preimage', unknown_before, unknown_after)), '[]') as unavailable_columns,
        if(reason is null, sent, null) as content,
        {{ metadata_map([
            'origin.version', 'origin.connector', 'origin.snapshot', 'log_position', 'unavailable_columns',
            'column_types', 'content.message', 'content.event_count', 'content.data_collections',
        ]) }} as source_metadata,
        {{ control_kind('reason', 'operation_kind') }} as control_kind,
        case
            when reason is null and operation = 't' then 'TRUNCATE'
            when reason is null and is_statement then coalesce(statement_kind, 'SCHEMA_CHANGE')
        end as ddl_kind,
        if(is_statement, statement, null) as ddl_text
    from parsed
        lateral view posexplode_outer(images) exploded as image_index, image
        lateral view posexplode_outer(emptied_tables) emptied as emptied_index, emptied_table
)

select
    {{ event_columns(absent=[
        'key_columns', 'null_in_both', 'fold_scope', 'before_hash', 'missing_columns', 'may_change_key',
        'checkpoint_at', 'ddl_meta_text',
    ]) | indent(4) }}
from renamed
