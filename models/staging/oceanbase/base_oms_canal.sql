{%- set members = {
    'operation': 'type', 'data': ['data', 'array'], 'old': ['old', 'array'], 'event_millis': 'es', 'built_millis': 'ts',
    'key_names': ['pkNames', 'names'], 'source_database': 'database', 'source_table': 'table',
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
        list_texts(key_names) as key_columns,
        list_texts(lower(key_names)) as lower_keys,
        json_object_keys(coalesce(column_types, nullif(sql_type, '{}'))) as declared_columns,
        read_ddl(statement, database_name, null, table_name) as ddl,
        case
            when operation in ('ROW', 'INIT') then 'upsert'
            -- Huawei DRS writes these codes for every statement.
            when operation in ('DDL', 'INIT_DDL') then if(size(ddl.emptied) > 0, 'truncate', 'schema_change')
            when operation = 'TIDB_WATERMARK' then 'heartbeat'
            when not startswith(operation, 'UPDATE_') then {{ operation_kind('operation', 'ddl') }}
        end as operation_kind,
        coalesce(operation_kind in ('insert', 'upsert', 'update', 'delete'), false) as is_row_change,
        -- Flink CDC and Huawei DRS write the row of a DELETE in `old`, TiCDC before 5.4 also in `data`.
        operation_kind = 'delete' and coalesce(data, '[]') in ('[]', old) as is_row_in_old,
        coalesce(list_items(if(is_row_in_old, old, data)), array()) as data_rows,
        -- TiCDC before 5.4 writes [null] for an INSERT.
        coalesce(list_items(if(is_row_in_old, null, nullif(old, '[null]'))), array()) as old_rows,
        -- Names of MySQL are case-insensitive.
        transform(arrays_zip(data_rows, old_rows), pair -> named_struct(
            'data', pair.data_rows,
            'old', pair.old_rows,
            'columns', json_object_keys(lower(pair.data_rows)),
            -- `old` may name columns that did not change, as of TiCDC and Huawei DRS, which write the whole row.
            'changed', transform(
                array_except(map_entries(read_columns(pair.old_rows)), map_entries(read_columns(pair.data_rows))).key,
                name -> lower(name)
            ),
            'missing', array_except(declared_columns, json_object_keys(pair.data_rows))
        )) as data_pairs,
        case
            when operation = 'DDL' or (operation in ('QUERY', 'INIT_DDL') and operation_kind = 'truncate')
                then coalesce(ddl.kind, operation)
            when operation_kind in ('truncate', 'schema_change') then operation
        end as ddl_kind,
        {{ emptied_tables('operation_kind', 'ddl', 'database_name', 'cast(null as string)', 'table_name') }} as tables
    from source
)

select
    * except (
        opened, data, old, key_names, mysql_type, sql_type, claim_check, lower_keys, declared_columns, ddl,
        is_row_change, is_row_in_old, data_rows, old_rows, data_pairs, tables
    ),
    case
        when opened.error_code is not null then struct(opened.error_code as code, opened.error_detail as detail)
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
    -- By row, the before image first.
    if(reason is null and is_row_change, flatten(transform(data_pairs, pair -> transform(
        case
            when operation_kind = 'delete' then array('preimage')
            when operation_kind = 'update' and pair.old is not null then array('preimage', 'postimage')
            else array('postimage')
        end,
        side -> named_struct(
            'side', side, 'data', pair.data, 'old', pair.old,
            'lacks_columns', size(pair.missing) > 0,
            'changes_key', coalesce(arrays_overlap(pair.changed, lower_keys), false),
            -- Columns that are neither part of the key nor changed: MINIMAL row images omit all of them.
            'has_unchanged_columns',
            size(array_except(array_except(pair.columns, pair.changed), coalesce(lower_keys, array()))) > 0
        )
    ))), null) as images,
    if(reason is null, tables, null) as emptied_tables
from parsed
