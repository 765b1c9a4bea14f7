{%- set members = {
    'operation': ['type', 'text'],
    'data': ['data', 'array'],
    'old': ['old', 'array'],
    'event_millis': ['es', 'text'],
    'built_millis': ['ts', 'text'],
    'key_names': ['pkNames', 'names'],
    'source_database': ['database', 'text'],
    'source_table': ['table', 'text'],
    'mysql_type': ['mysqlType', 'object', {'keeps_order': true}],
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
        *,
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
        *,
        ---------- identity
        -- Copies of a statement, one per partition, count once; a row is where it lies.
        {{ change_id([
            'source_name', 'source_database', 'source_table', 'operation', 'image.side', 'image.old',
            'if(reason is null and is_schema_change, struct(event_millis, statement), null)',
            'if(reason is null and is_schema_change, null, struct(topic, partition, offset, image_index))',
            'if(reason is null, null, batch_id)',
        ], 'image.data') }} as change_id,
        {{ json_names('key_names') }} as key_columns,
        -- The row before an update is the row after it, overlaid with what was different.
        overlay_images(if(operation_kind = 'update', array(image.data, image.old), null)) as row_before,
        if(image.side = 'postimage', null_columns(row_before, image.data), null) as null_in_both,
        ---------- change
        {{ change_type('reason', 'operation_kind', 'image.side') }} as change_type,
        coalesce(operation in ('ROW', 'INIT'), false) as is_snapshot,
        if(operation_kind = 'update' and image.side = 'preimage', row_before, image.data) as row_image,
        {{ oms_canal_image_scope() }} as image_scope,
        operation as source_operation,
        image.fold_scope,
        ---------- order
        {{ timestamp_from_millis('event_millis') }} as event_at,
        {{ timestamp_from_millis('built_millis') }} as emitted_at,
        nullif(gtid, '') as transaction_id,
        coalesce(image_index, 0) as event_index,
        -- No number to sort by: the position decides, also between the images of one row.
        {{ change_order('is_snapshot', 'null', 'null', '0', 'coalesce(image_index, 0)') }} as change_order,
        ---------- provenance, control
        {{ metadata_map(['message_id', 'is_ddl', 'column_types', 'sql']) }} as source_metadata,
        {{ control_kind('reason', 'operation_kind') }} as control_kind,
        if(reason is null and is_schema_change, operation, null) as ddl_kind,
        if(is_schema_change, statement, null) as ddl_text
    from parsed
        lateral view posexplode_outer(images) exploded as image_index, image
)

select
    {{ event_columns(unsaid=[
        'schema_name', 'message_key', 'before_hash', 'missing_columns', 'may_change_key', 'sequence_number',
        'checkpoint_at', 'ddl_meta_text',
    ]) | indent(4) }}
from renamed
