{%- set members = {
    'operation': 'meta.op', 'time': 'meta.time', 'posttime': 'meta.posttime', 'table_path': 'meta.table',
    'rowid': 'meta.rowid', 'scn': 'meta.scn', 'seq': 'meta.seq', 'idx': 'meta.idx', 'size': 'meta.size',
    'trans': 'meta.trans', 'data_image': ['data', 'object'], 'key_image': ['key', 'object'], 'ddl_text': 'sql.ddl',
} -%}
with source as (
    select
        *,
        open_json(value, {{ json_members(members) }}) as opened,
        {{ source_time_zone('messages.source_name') }} as time_zone
    from {{ landed_messages() }} as messages
    where format = 'oms_shareplex'
),

parsed as (
    select
        *,
        {{ named_members(members) }},
        nullif(regexp_extract(table_path, r'(?s)^([^.]*)\.', 1), '') as database_name,
        nullif(regexp_replace(table_path, r'(?s)^[^.]*\.', ''), '') as table_name,
        read_ddl(ddl_text, database_name, null, table_name) as ddl,
        case operation
            when 'ins' then 'insert'
            when 'upd' then 'update'
            when 'del' then 'delete'
            when 'ddl' then if(size(ddl.emptied) > 0, 'truncate', 'schema_change')
        end as operation_kind,
        if(operation = 'ddl', ddl.kind, null) as ddl_kind,
        coalesce(operation_kind in ('insert', 'update', 'delete'), false) as is_row_change,
        {{ emptied_tables('operation_kind', 'ddl', 'database_name', 'cast(null as string)', 'table_name') }} as tables,
        nullif(nullif(scn, ''), 'null') as sequence_text,
        {{ timestamp_in_zone('time', 'time_zone') | indent(8) }} as event_at,
        {{ timestamp_in_zone('posttime', 'time_zone') | indent(8) }} as emitted_at,
        try_cast(sequence_text as decimal(38, 0)) as sequence_number,
        {{ order_in_second('sequence_text', 'unix_seconds(event_at)') }} as order_in_second,
        -- Table names may contain the dash that precedes the key values.
        coalesce(startswith(rowid, table_path || '-'), false) as has_key_values,
        nullif(if(has_key_values, substr(rowid, length(table_path) + 2), rowid), '') as row_identity,
        if(row_identity is null, null, to_json(named_struct('rowid', row_identity))) as message_key,
        split(if(has_key_values, row_identity, null), r'\x01') as key_values,
        json_object_keys(key_image) as key_names,
        json_object_keys(data_image) as data_names,
        if(operation = 'upd', data_image, null) as changed_image,
        -- `key` is the whole row from OMS and only the key columns from Quest: a row has more columns than key values.
        coalesce(array_size(key_names) > array_size(key_values), false) as is_key_full,
        size(array_except(data_names, key_names)) = 0 as is_data_in_key,
        -- The columns of the key values are unknown, so this is only a hint.
        arrays_overlap(key_values, map_values(read_columns(changed_image))) as may_change_key,
        case operation when 'upd' then key_image when 'del' then data_image end as before_image,
        coalesce(
            overlay_images(if(changed_image is null, null, array(key_image, changed_image))),
            if(operation = 'ins', data_image, null)
        ) as after_image,
        -- A null in data is a new value; a null that only the key has may be a LOB that was not sent. Such a column is
        -- the same after the update, so the key is compared with itself.
        array_except(
            null_columns(if(operation = 'upd', key_image, null), if(operation = 'upd', key_image, null)),
            map_keys(read_columns(changed_image))
        ) as null_in_both
    from source
)

select
    * except (
        opened, time_zone, table_path, data_image, key_image, ddl, tables, sequence_text, has_key_values, key_values,
        key_names, data_names, changed_image, before_image, after_image
    ),
    -- A message without sequence, time or key is accepted.
    case
        when opened.error_code is not null then struct(opened.error_code as code, opened.error_detail as detail)
        when time_zone is null then {{ reason('invalid_time_zone', 'time_zone in cdc_sources.csv') }}
        when operation is null then {{ reason('missing_operation', 'meta.op') }}
        when operation_kind is null then {{ reason('unknown_operation', 'meta.op') }}
        when operation = 'ddl' and coalesce(ddl_text, '') = '' then {{ reason('missing_operation', 'sql.ddl') }}
        when (is_row_change and table_name is null) or (operation_kind = 'truncate' and tables is null)
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
    if(reason is null, {{ row_images('before_image', 'after_image') }}, null) as images,
    if(reason is null, tables, null) as emptied_tables
from parsed
