{%- set members = {
    'operation': ['meta.op', 'text'],
    'time': ['meta.time', 'text'],
    'posttime': ['meta.posttime', 'text'],
    'table_path': ['meta.table', 'text'],
    'rowid': ['meta.rowid', 'text'],
    'scn': ['meta.scn', 'text'],
    'seq': ['meta.seq', 'text'],
    'idx': ['meta.idx', 'text'],
    'size': ['meta.size', 'text'],
    'trans': ['meta.trans', 'text'],
    'data_image': ['data', 'object'],
    'key_image': ['key', 'object'],
    'ddl_text': ['sql.ddl', 'text'],
} -%}
with source as (
    select
        *,
        open_json(value, {{ json_members(members) }}) as opened,
        {{ source_time_zone('messages.source_name') }} as time_zone
    from {{ source('landing', 'messages') }} as messages
    where format = 'oms_shareplex'
),

parsed as (
    select
        source_name,
        format,
        topic,
        partition,
        offset,
        landed_at,
        batch_id,
        value,
        {{ named_members(members) }},
        {{ ddl_kind('ddl_text') }} as statement_kind,
        case operation
            when 'ins' then 'insert'
            when 'upd' then 'update'
            when 'del' then 'delete'
            when 'ddl' then if(statement_kind in ('TRUNCATE_TABLE', 'DROP_TABLE'), 'truncate', 'schema_change')
        end as operation_kind,
        coalesce(operation_kind in ('insert', 'update', 'delete'), false) as is_row_change,
        nullif(regexp_extract(table_path, r'(?s)^([^.]*)\.', 1), '') as database_name,
        nullif(regexp_replace(table_path, r'(?s)^[^.]*\.', ''), '') as table_name,
        nullif(nullif(scn, ''), 'null') as sequence_text,
        to_utc_timestamp({{ timestamp_from_text('time') }}, time_zone) as event_at,
        to_utc_timestamp({{ timestamp_from_text('posttime') }}, time_zone) as emitted_at,
        try_cast(sequence_text as decimal(38, 0)) as sequence_number,
        {{ second_order('sequence_text', 'unix_seconds(event_at)') }} as second_order,
        -- Table names may contain the dash that stands before the key values.
        coalesce(startswith(rowid, table_path || '-'), false) as has_key_values,
        nullif(if(has_key_values, substr(rowid, length(table_path) + 2), rowid), '') as row_identity,
        split(if(has_key_values, row_identity, null), r'\x01') as key_values,
        json_object_keys(key_image) as key_names,
        json_object_keys(data_image) as data_names,
        if(operation = 'upd', data_image, null) as changed_image,
        -- OMS sends the whole row as the key, Quest its key columns alone: a row has more columns than key values.
        coalesce(array_size(key_names) > array_size(key_values), false) as is_key_full,
        -- Which columns the key values belong to is not told, so this is a hint and no more.
        if(arrays_overlap(key_values, map_values(read_columns(changed_image))), 'true', null) as may_change_key,
        case
            when opened.error_code is not null
                then named_struct('code', opened.error_code, 'detail', opened.error_detail)
            when operation is null then {{ reason('missing_operation', 'meta.op') }}
            when operation_kind is null then {{ reason('unknown_operation', 'meta.op') }}
            when operation = 'ddl' and coalesce(ddl_text, '') = '' then {{ reason('missing_operation', 'sql.ddl') }}
            when operation_kind <> 'schema_change' and table_name is null
                then {{ reason('missing_table', 'meta.table') }}
            when not sequence_text rlike r'^[0-9]{1,38}\z' then {{ reason('invalid_sequence', 'meta.scn') }}
            when (event_at is null and not time like '0000-00-00T00:00:00%')
                or (emitted_at is null and not posttime like '0000-00-00T00:00:00%')
                then {{ reason('invalid_timestamp', 'meta.time, meta.posttime') }}
            -- An update may change no column (data is then empty, not missing).
            when is_row_change and nullif(data_image, if(operation = 'upd', '', '{}')) is null
                then {{ reason('missing_image', 'data') }}
            when operation = 'upd' and coalesce(key_image, '{}') = '{}' then {{ reason('missing_image', 'key') }}
            when operation <> 'upd' and key_image <> '{}' then {{ reason('unexpected_image', 'key') }}
            when operation = 'ddl' and data_image <> '{}' then {{ reason('unexpected_image', 'data') }}
        end as reason,
        case operation when 'upd' then key_image when 'del' then data_image end as before_image,
        coalesce(
            overlay_images(if(changed_image is null, null, array(key_image, changed_image))),
            if(operation = 'ins', data_image, null)
        ) as after_image,
        -- A message that cannot be read is one event, whatever it holds.
        if(reason is null, {{ row_images('before_image', 'after_image') }}, null) as images
    from source
),

renamed as (
    select
        ---------- identity
        {{ change_id([
            'source_name', 'database_name', 'table_name', 'operation', 'image.side', 'time', 'ddl_text',
            'if(is_row_change, struct(sequence_number, seq, trans, row_identity), null)',
            'if(event_at is null, struct(sequence_number), null)',
            'if(event_at is null and sequence_number is null, struct(topic, partition, offset), null)',
            'if(reason is null, null, struct(batch_id, topic, partition, offset))',
        ], 'image.row_image') }} as change_id,
        source_name,
        format,
        database_name,
        cast(null as string) as schema_name,
        table_name,
        cast(null as array<string>) as key_columns,
        if(row_identity is null, null, to_json(named_struct('rowid', row_identity))) as message_key,
        -- A null that data says is a new value; one that only the key says may stand for a LOB that was not sent.
        if(
            operation = 'upd' and image.side = 'postimage',
            null_columns(drop_columns(key_image, data_names), image.row_image),
            null
        ) as null_in_both,
        ---------- change
        case
            when reason is not null then null
            when operation_kind = 'update' then 'update_' || image.side
            when operation_kind in ('insert', 'delete', 'truncate') then operation_kind
        end as change_type,
        false as is_snapshot,
        image.row_image,
        case
            when image is null then 'none'
            when operation <> 'upd' then 'full'
            when is_key_full and (image.side = 'preimage' or size(array_except(data_names, key_names)) = 0) then 'full'
            else if(image.side = 'preimage', 'key', 'partial')
        end as image_scope,
        operation as source_operation,
        ---------- order
        sequence_number,
        event_at,
        emitted_at,
        cast(null as timestamp) as checkpoint_at,
        trans as transaction_id,
        coalesce(image_index, 0) as event_index,
        {{ change_order(
            'false', 'second_order.sequence', 'second_order.serial',
            image_rank('image.side', 'second_order.serial'), 'coalesce(image_index, 0)',
        ) }} as change_order,
        ---------- provenance
        topic,
        partition,
        offset,
        landed_at,
        batch_id,
        {{ metadata_map(['time', 'posttime', 'seq', 'idx', 'size', 'trans', 'rowid', 'scn', 'may_change_key']) }}
            as source_metadata,
        ---------- control and quarantine
        if(reason is null and operation_kind = 'schema_change', operation_kind, null) as control_kind,
        if(reason is null and operation = 'ddl', statement_kind, null) as ddl_kind,
        ddl_text,
        cast(null as string) as ddl_meta,
        reason.code as reason_code,
        reason.detail as reason_detail,
        value
    from parsed
        lateral view posexplode_outer(images) exploded as image_index, image
)

select * from renamed
