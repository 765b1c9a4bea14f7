{%- set members = {
    'operation': 'type', 'source_database': 'database', 'source_table': 'table', 'time': 'ts',
    'xid': 'xid', 'xoffset': 'xoffset', 'commit': 'commit', 'log_position': 'position', 'gtid': 'gtid',
    'data': ['data', 'object'], 'old': ['old', 'object'],
    'key_names': ['primary_key_columns', 'names'], 'primary_key': ['primary_key', 'array'],
    'statement': 'sql', 'def': ['def', 'object'], 'query': 'query', 'comment': 'comment',
    'server_id': 'server_id', 'thread_id': 'thread_id', 'schema_id': 'schema_id',
    'encrypted': ['encrypted', 'object'],
} -%}
with source as (
    select
        *,
        open_json(value, {{ json_members(members) }}) as opened,
        {{ maxwell_key_names('cast(key as string)') | indent(8) }} as record_names
    from {{ landed_messages() }}
    where format = 'maxwell'
),

parsed as (
    select
        *,
        {{ named_members(members) }},
        nullif(source_database, '') as database_name,
        nullif(source_table, '') as table_name,
        case
            when operation in ('insert', 'update', 'delete') then operation
            when operation = 'bootstrap-insert' then 'upsert'
            when operation in ('bootstrap-start', 'bootstrap-complete') then 'message'
            when operation in ('table-drop', 'database-drop') then 'truncate'
            when operation in ('table-create', 'table-alter', 'database-create', 'database-alter') then 'schema_change'
        end as operation_kind,
        coalesce(operation_kind in ('insert', 'upsert', 'update', 'delete'), false) as is_row_change,
        coalesce(operation_kind in ('truncate', 'schema_change'), false) as is_statement,
        coalesce(operation_kind = 'upsert', false) as is_snapshot,
        -- The time of a row is in seconds, that of a statement in milliseconds.
        if({{ whole_number('time') }} < 100000000000, time || '000', time) as event_millis,
        json_object_keys(data) as column_names,
        json_object_keys(if(is_row_change, old, null)) as changed_names,
        -- Column names in a record key are in lower case.
        coalesce(
            {{ json_names('key_names') }},
            transform(record_names, name -> coalesce(get(filter(column_names, one -> lower(one) = name), 0), name))
        ) as key_columns,
        operation_kind = 'update' and coalesce(old, '{}') <> '{}' as has_before,
        -- A column that only `old` contains is null now: output_nulls is off.
        array_except(changed_names, column_names) as null_names,
        {{ maxwell_row_after('data', 'if(has_before, null_names, null)') | indent(8) }} as row_after,
        case
            when operation_kind = 'delete' then data
            when has_before then overlay_images(if(has_before, array(data, old), null))
        end as before_image,
        if(operation_kind in ('insert', 'upsert', 'update'), row_after, null) as after_image,
        case
            when opened.error_code is not null
                then named_struct('code', opened.error_code, 'detail', opened.error_detail)
            when encrypted is not null then {{ reason('missing_image', 'data; found an encrypted message') }}
            when operation is null then {{ reason('missing_operation', 'type') }}
            when operation_kind is null then {{ reason('unknown_operation', 'type') }}
            when operation = 'database-drop' and database_name is null then {{ reason('missing_table', 'database') }}
            when (is_row_change or operation = 'table-drop') and table_name is null
                then {{ reason('missing_table', 'table') }}
            when {{ is_bad_millis(['event_millis']) }} then {{ reason('invalid_timestamp', 'ts') }}
            -- Both are combined to one number: 20 digits of the transaction (64 bits), 10 of the position in it.
            when is_row_change
                and not (coalesce(xid, '0') rlike r'^[0-9]{1,20}\z' and coalesce(xoffset, '0') rlike r'^[0-9]{1,9}\z')
                then {{ reason('invalid_sequence', 'xid, xoffset') }}
            when is_row_change and coalesce(data, '{}') = '{}' then {{ reason('missing_image', 'data') }}
            when not is_row_change and coalesce(data, '{}') <> '{}' then {{ reason('unexpected_image', 'data') }}
            when is_row_change and operation_kind <> 'update' and coalesce(old, '{}') <> '{}'
                then {{ reason('unexpected_image', 'old') }}
        end as reason,
        -- A message that cannot be read is one event, whatever it contains.
        if(reason is null, {{ row_images('before_image', 'after_image') }}, null) as images
    from source
),

renamed as (
    select
        *,
        ---------- order: second, then transaction and position in it; the last row of a transaction has no xoffset
        {{ timestamp_from_millis('event_millis') }} as event_at,
        cast(unix_seconds(event_at) as decimal(38, 0)) as event_second,
        is_row_change and reason is null and event_at is not null and xid is not null as has_serial,
        has_serial and coalesce(commit = 'true' or xoffset is not null, false) as has_place_in_transaction,
        if(has_serial, cast(xid || lpad(
            if(commit = 'true', '9999999999', coalesce(xoffset, '0')), 10, '0'
        ) as decimal(38, 0)), null) as serial,
        -- Without xoffset, the position in the topic orders the rows of a transaction, preimages included.
        {{ change_order(
            'is_snapshot', 'event_second', 'serial',
            image_rank('image.side', 'if(has_place_in_transaction, serial, null)'), 'coalesce(image_index, 0)',
        ) | indent(8) }} as change_order,
        if(is_snapshot, null, {{ maxwell_sequence('log_position') | indent(8) }}) as sequence_number,
        xid as transaction_id,
        coalesce(image_index, 0) as event_index,
        ---------- identity: the position in the log, else in the transaction, else in the topic
        case
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
        -- The same is possible for a primary-key update; `old` is then the old key.
        if(
            has_before and image.side = 'postimage' and arrays_overlap(changed_names, key_columns), 'partial', null
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
    from parsed
        lateral view posexplode_outer(images) exploded as image_index, image
)

select
    {{ event_columns(unsaid=[
        'schema_name', 'message_key', 'null_in_both', 'before_hash', 'missing_columns', 'may_change_key', 'emitted_at',
        'checkpoint_at', 'ddl_meta_text',
    ]) | indent(4) }}
from renamed
