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
        -- Key columns of the record key, in lower case: {"database":"d","table":"t","pk.id":1}, or ["d","t",[{"id":1}]]
        -- with kafka_key_format array. Null if it names none (`_uuid`). Only names are read, so no digits can be lost.
        cast(key as string) as record_key,
        nullif(
            if(
                record_key rlike r'^\s*[{]',
                transform(
                    filter(map_keys(from_json(record_key, 'map<string, string>')), name -> startswith(name, 'pk.')),
                    name -> substr(name, 4)
                ),
                flatten(transform(
                    from_json(get(from_json(
                        if(record_key rlike r'^\s*\[', record_key, null), 'array<string>'
                    ), 2), 'array<map<string, string>>'),
                    one -> map_keys(one)
                ))
            ),
            array()
        ) as record_names
    from {{ landed_messages(with_key=true) }}
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
            list_texts(key_names),
            transform(record_names, name -> coalesce(get(filter(column_names, one -> lower(one) = name), 0), name))
        ) as key_columns,
        operation_kind = 'update' and coalesce(old, '{}') <> '{}' as has_before,
        -- A column that only `old` contains is null now: output_nulls is off.
        array_except(changed_names, column_names) as null_names,
        coalesce(
            overlay_images(if(
                has_before and size(null_names) > 0,
                array(data, to_json(map_from_arrays(null_names, array_repeat(cast(null as string), size(null_names))))),
                null
            )),
            data
        ) as row_after,
        case
            when operation_kind = 'delete' then data
            when has_before then overlay_images(if(has_before, array(data, old), null))
        end as before_image,
        if(operation_kind in ('insert', 'upsert', 'update'), row_after, null) as after_image,
        case
            when opened.error_code is not null then struct(opened.error_code as code, opened.error_detail as detail)
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
        if(reason is null, {{ row_images('before_image', 'after_image') }}, null) as images
    from source
)

select * except (opened, key, record_key, record_names, data, key_names, encrypted, null_names, row_after)
from parsed
