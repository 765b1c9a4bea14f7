{%- set members = {
    'operation': ['type', 'text'],
    'data': ['data', 'array'],
    'old': ['old', 'array'],
    'event_millis': ['es', 'text'],
    'built_millis': ['ts', 'text'],
    'key_names': ['pkNames', 'names'],
    'source_database': ['database', 'text'],
    'source_table': ['table', 'text'],
    'mysql_type': ['mysqlType', 'object'],
    'statement': ['sql', 'text'],
    'is_ddl': ['isDdl', 'text'],
    'message_id': ['id', 'text'],
    'gtid': ['gtid', 'text'],
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
        source_name,
        format,
        topic,
        partition,
        offset,
        landed_at,
        batch_id,
        value,
        {{ named_members(members) }},
        nullif(mysql_type, '{}') as column_types,
        nullif(source_database, '') as database_name,
        nullif(source_table, '') as table_name,
        case
            when operation in ('ROW', 'INIT') then 'upsert'
            when operation = 'INIT_DDL' then 'schema_change'
            when not startswith(operation, 'UPDATE_') then {{ operation_kind('operation') }}
        end as operation_kind,
        coalesce(operation_kind in ('insert', 'upsert', 'update', 'delete'), false) as is_row_change,
        coalesce(operation_kind in ('truncate', 'schema_change'), false) as is_schema_change,
        coalesce(list_items(data), array()) as data_rows,
        coalesce(list_items(old), array()) as old_rows,
        if(operation_kind = 'transaction_mark', nullif(statement, ''), null) as sql,
        {{ oms_canal_reason() }} as reason,
        -- A message that cannot be read is one event, whatever it holds.
        if(reason is null, {{ oms_canal_images() }}, null) as images
    from source
),

renamed as (
    select
        ---------- identity
        {{ oms_canal_change_id() }} as change_id,
        source_name,
        format,
        database_name,
        cast(null as string) as schema_name,
        table_name,
        {{ json_names('key_names') }} as key_columns,
        cast(null as string) as message_key,
        -- The row before an update is the row after it, overlaid with what was different.
        if(
            image.side = 'postimage',
            null_columns(
                overlay_images(if(operation_kind = 'update', array(image.data, image.old), null)), image.data
            ),
            null
        ) as null_in_both,
        ---------- change
        case
            when reason is not null then null
            when operation_kind = 'update' then 'update_' || image.side
            when is_row_change or operation_kind = 'truncate' then operation_kind
        end as change_type,
        coalesce(operation in ('ROW', 'INIT'), false) as is_snapshot,
        if(
            operation_kind = 'update' and image.side = 'preimage',
            overlay_images(if(operation_kind = 'update', array(image.data, image.old), null)),
            image.data
        ) as row_image,
        {{ oms_canal_image_scope() }} as image_scope,
        operation as source_operation,
        {{ fold_columns(fold_scope='image.fold_scope') }},
        ---------- order
        cast(null as decimal(38, 0)) as sequence_number,
        {{ timestamp_from_millis('event_millis') }} as event_at,
        {{ timestamp_from_millis('built_millis') }} as emitted_at,
        cast(null as timestamp) as checkpoint_at,
        nullif(gtid, '') as transaction_id,
        coalesce(image_index, 0) as event_index,
        -- No number to sort by: the position decides, also between the images of one row.
        {{ change_order('is_snapshot', 'null', 'null', '0', 'coalesce(image_index, 0)') }} as change_order,
        ---------- provenance
        topic,
        partition,
        offset,
        landed_at,
        batch_id,
        {{ metadata_map(['message_id', 'is_ddl', 'column_types', 'sql']) }} as source_metadata,
        ---------- control and quarantine
        if(
            reason is null and operation_kind in ('heartbeat', 'transaction_mark', 'schema_change'),
            operation_kind,
            null
        ) as control_kind,
        if(reason is null and is_schema_change, operation, null) as ddl_kind,
        if(is_schema_change, statement, null) as ddl_text,
        cast(null as string) as ddl_meta_text,
        reason.code as reason_code,
        reason.detail as reason_detail,
        value
    from parsed
        lateral view posexplode_outer(images) exploded as image_index, image
)

select * from renamed
