{%- set members = {
    'operation': 'type', 'data': ['data', 'array'], 'old': ['old', 'array'],
    'event_millis': 'es', 'built_millis': 'ts', 'key_names': ['pkNames', 'names'],
    'source_database': 'database', 'source_table': 'table',
    'mysql_type': ['mysqlType', 'object', {'keeps_order': true}], 'sql_type': ['sqlType', 'object'],
    'statement': 'sql', 'is_ddl': 'isDdl', 'message_id': 'id', 'gtid': 'gtid',
    'only_handle_key': '_tidb.onlyHandleKey', 'claim_check': '_tidb.claimCheckLocation',
} -%}
with source as (
    select
        *,
        open_json(value, {{ json_members(members) }}) as opened
    from {{ landed_messages() }}
    where format = 'oms_canal'
),

parsed as (
    select
        *,
        {{ named_members(members) }},
        nullif(mysql_type, '{}') as column_types,
        nullif(source_database, '') as database_name,
        nullif(source_table, '') as table_name,
        {{ json_names('key_names') }} as key_columns,
        {{ json_names('lower(key_names)') }} as lower_keys,
        json_object_keys(coalesce(column_types, nullif(sql_type, '{}'))) as declared_columns,
        {{ ddl_statement('statement', 'database_name', 'null', 'table_name') }} as ddl,
        case
            when operation in ('ROW', 'INIT') then 'upsert'
            -- Huawei DRS writes these codes for every statement.
            when operation in ('DDL', 'INIT_DDL') then if(size(ddl.emptied) > 0, 'truncate', 'schema_change')
            when operation = 'TIDB_WATERMARK' then 'heartbeat'
            when not startswith(operation, 'UPDATE_') then {{ operation_kind('operation', 'ddl') }}
        end as operation_kind,
        coalesce(operation_kind in ('insert', 'upsert', 'update', 'delete'), false) as is_row_change,
        coalesce(operation_kind in ('truncate', 'schema_change'), false) as is_schema_change,
        -- Flink CDC and Huawei DRS write the row of a DELETE in `old`.
        operation_kind = 'delete' and coalesce(data, '[]') = '[]' as is_row_in_old,
        coalesce(list_items(if(is_row_in_old, old, data)), array()) as data_rows,
        coalesce(list_items(if(is_row_in_old, null, old)), array()) as old_rows,
        -- Names of MySQL are case-insensitive.
        transform(arrays_zip(data_rows, old_rows), pair -> named_struct(
            'data', pair.data_rows,
            'old', pair.old_rows,
            'columns', json_object_keys(lower(pair.data_rows)),
            'changed', json_object_keys(lower(pair.old_rows)),
            'missing', array_except(declared_columns, json_object_keys(pair.data_rows))
        )) as data_pairs,
        if(operation_kind = 'transaction_mark', nullif(statement, ''), null) as sql,
        if(
            operation_kind = 'truncate',
            {{ emptied_tables('ddl', 'database_name', 'cast(null as string)', 'table_name') | indent(12) }},
            null
        ) as tables
    from source
),

judged as (
    select
        *,
        case
            when opened.error_code is not null
                then named_struct('code', opened.error_code, 'detail', opened.error_detail)
            when operation is null then {{ reason('missing_operation', 'type') }}
            when operation_kind is null then {{ reason('unknown_operation', 'type') }}
            when (is_row_change and table_name is null) or (operation_kind = 'truncate' and tables is null)
                then {{ reason('missing_table', 'table') }}
            when {{ is_bad_millis(['event_millis', 'built_millis']) }} then {{ reason('invalid_timestamp', 'es, ts') }}
            -- Also for a change that was logged as a statement: its rows are not in the message.
            when is_row_change
                and (size(data_rows) = 0 or exists(data_rows, item -> not startswith(item, '{') or item = '{}'))
                then {{ reason('missing_image', 'data') }}
            -- Without `old`, after images are sufficient if they are complete.
            when operation_kind = 'update' and size(old_rows) = 0 and exists(
                    data_pairs,
                    pair -> pair.missing is null or size(pair.missing) > 0
                    or size(array_except(lower_keys, pair.columns)) > 0
                ) then {{ reason('missing_image', 'old') }}
            when operation_kind = 'update' and size(old_rows) > 0
                and (size(old_rows) < size(data_rows) or exists(old_rows, item -> not startswith(item, '{')))
                then {{ reason('missing_image', 'old') }}
            when size(data_rows) > 0 and not is_row_change then {{ reason('unexpected_image', 'data') }}
            when size(old_rows) > if(operation_kind = 'update', size(data_rows), 0)
                then {{ reason('unexpected_image', 'old') }}
            when operation_kind in ('insert', 'upsert', 'update')
                and (only_handle_key = 'true' or claim_check <> '' or exists(
                    data_pairs,
                    pair -> size(pair.missing) > 0 and size(array_except(pair.columns, lower_keys)) = 0
                    and (operation_kind <> 'update' or pair.old in ('{}', pair.data))
                ))
                then {{ reason('key_only_image', 'data') }}
        end as reason,
        -- A message that cannot be read is one event, whatever it contains. By row, the before image first.
        if(reason is null and is_row_change, flatten(transform(data_pairs, pair -> transform(
            case
                when operation_kind = 'delete' then array('preimage')
                when operation_kind = 'update' and pair.old is not null then array('preimage', 'postimage')
                else array('postimage')
            end,
            side -> named_struct('side', side, 'pair', pair)
        ))), null) as images,
        if(reason is null, tables, null) as emptied_tables
    from parsed
),

exploded as (
    select
        *,
        image.side,
        image.pair.data as row_after,
        image.pair.old as row_old,
        coalesce(arrays_overlap(image.pair.changed, lower_keys), false) as changes_key,
        -- Columns that are neither part of the key nor changed: MINIMAL row images omit all of them.
        size(array_except(array_except(image.pair.columns, image.pair.changed), coalesce(lower_keys, array()))) > 0
            as has_unchanged_columns
    from judged
        lateral view posexplode_outer(images) images as image_index, image
        lateral view posexplode_outer(emptied_tables) tables as emptied_index, emptied_table
),

renamed as (
    select
        * except (database_name, table_name),
        ---------- identity
        -- Copies of a statement, one per partition, count once; a row is identified by its position.
        {{ change_id([
            'source_name', 'source_database', 'source_table', 'operation', 'image.side', 'image.pair.old',
            'if(reason is null and is_schema_change, struct(event_millis, statement), null)',
            'if(reason is null and is_schema_change, null, struct(topic, partition, offset, image_index))',
            'if(reason is null, null, batch_id)', 'if(emptied_index > 0, emptied_table, null)',
        ], 'row_after') }} as change_id,
        if(emptied_table is null, database_name, emptied_table.database_name) as database_name,
        if(emptied_table is null, table_name, emptied_table.table_name) as table_name,
        -- The before image is the after image, overlaid with the previous values of changed columns.
        overlay_images(
            if(operation_kind = 'update' and row_old is not null, array(row_after, row_old), null)
        ) as row_before,
        if(side = 'postimage', null_columns(row_before, row_after), null) as null_in_both,
        ---------- change
        {{ change_type('reason', 'operation_kind', 'side') }} as change_type,
        coalesce(operation in ('ROW', 'INIT'), false) as is_snapshot,
        if(operation_kind = 'update' and side = 'preimage', row_before, row_after) as row_image,
        -- Three signs of a partial row: the types contain a column that the row lacks; `old` is empty, although no
        -- log contains an update without a change; a primary-key update has only the key and changed columns.
        case
            when image is null then 'none'
            when operation_kind in ('insert', 'upsert') then 'full'
            when only_handle_key = 'true' then 'key'
            when row_old = '{}' or size(image.pair.missing) > 0 then 'partial'
            when operation_kind = 'update' and changes_key and not has_unchanged_columns then 'partial'
            else 'full'
        end as image_scope,
        operation as source_operation,
        case
            when image is null or operation_kind <> 'update' or side = 'preimage' then null
            -- All declared columns are present, so the image is the whole row, except for LOBs (NOBLOB, see `events`).
            when image_scope = 'full' and (row_old is null or has_unchanged_columns) then 'declared'
            when changes_key then 'partial'
            else 'given'
        end as fold_scope,
        ---------- order
        {{ timestamp_from_millis('event_millis') }} as event_at,
        {{ timestamp_from_millis('built_millis') }} as emitted_at,
        nullif(gtid, '') as transaction_id,
        coalesce(image_index, emptied_index, 0) as event_index,
        -- The format has no sequence: position is the order, also between the images of one row.
        {{ change_order('is_snapshot', 'null', 'null', '0', 'coalesce(image_index, emptied_index, 0)') }}
            as change_order,
        ---------- provenance, control
        {{ metadata_map(['message_id', 'is_ddl', 'column_types', 'sql']) }} as source_metadata,
        {{ control_kind('reason', 'operation_kind') }} as control_kind,
        case
            when reason is not null or not is_schema_change then null
            when operation = 'DDL' or (operation in ('QUERY', 'INIT_DDL') and operation_kind = 'truncate')
                then coalesce(ddl.kind, operation)
            else operation
        end as ddl_kind,
        if(is_schema_change, statement, null) as ddl_text
    from exploded
)

select
    {{ event_columns([
        'schema_name', 'message_key', 'before_hash', 'missing_columns', 'may_change_key', 'sequence_number',
        'checkpoint_at', 'ddl_meta_text',
    ]) | indent(4) }}
from renamed
