{%- set members = {
    'operation': ['payload.op', 'text'],
    'scn': ['payload.scn', 'text'],
    'before_image': ['payload.before.data', 'object'],
    'after_image': ['payload.after.data', 'object'],
    'event_time': ['payload.timestamp.eventTime', 'text'],
    'system_time': ['payload.timestamp.systemTime', 'text'],
    'checkpoint_time': ['payload.timestamp.checkpointTime', 'text'],
    'ddl_text': ['payload.ddl.text', 'text'],
    'key_names': ['schema.pk', 'names'],
    'before_key': ['payload.before.data', 'key', {'names': 'schema.pk'}],
    'after_key': ['payload.after.data', 'key', {'names': 'schema.pk'}],
    'tenant_and_database': ['schema.source.dbName', 'text'],
    'schema_name': ['schema.source.schema', 'text'],
    'table_name': ['schema.source.table', 'text'],
    'db_type': ['schema.source.dbType', 'text'],
    'db_version': ['schema.source.dbVersion', 'text'],
    'version': ['version', 'text'],
    'load_fm': ['extend.load_fm', 'text'],
    'column_types': ['schema.column', 'types'],
} -%}
with source as (
    select
        *,
        open_json(value, {{ json_members(members) }}) as opened
    from {{ landed_messages() }}
    where format = 'oms_dataworks_v2'
),

parsed as (
    select
        *,
        {{ named_members(members) }},
        {{ oms_dataworks_v2_meaning() }},
        if(
            operation_kind = 'truncate',
            {{ emptied_tables(
                'ddl', 'database_name', "nullif(schema_name, '')", "nullif(table_name, '')",
            ) | indent(12) }},
            null
        ) as tables,
        {{ oms_dataworks_v2_reason() }} as reason,
        if(reason is null, tables, null) as emptied_tables,
        null_columns(if(operation_kind = 'update', before_image, null), after_image) as null_in_both,
        from_json(column_types, 'map<string, string>') as type_of,
        filter(null_in_both, name -> {{ is_lob_type('type_of[name]') }}) as unchanged_lobs,
        if(array_size(unchanged_lobs) > 0, drop_columns(after_image, unchanged_lobs), after_image) as kept_image,
        {{ missing_columns('after_image', "if(operation_kind = 'update', before_image, null)") }} as missing_columns,
        array_size(unchanged_lobs) > 0 or missing_columns is not null as is_partial,
        -- A message that cannot be read is one event, whatever it holds.
        if(reason is null, {{ row_images('before_image', 'kept_image', 'before_key', 'after_key') }}, null) as images
    from source
),

renamed as (
    select
        * except (database_name, schema_name, table_name, null_in_both),
        ---------- identity
        -- Its number, time and images, for a number may be one of its second only; without number and time, where it
        -- lies. DDL that is copied to every partition counts once.
        {{ change_id([
            'source_name', 'database_name', 'schema_name', 'table_name', 'operation_kind', 'image.side',
            'if(is_ddl, null, sequence_number)',
            'if(is_row_change, null, struct(operation, event_millis, ddl_text))',
            'if(is_row_change, struct(event_millis, images.row_image), null)',
            'if(is_row_change and sequence_number is null and event_seconds is null, '
            ~ 'struct(topic, partition, offset), null)',
            "if(operation_kind in ('heartbeat', 'transaction_mark'), "
            ~ "struct(topic, partition, system_millis, checkpoint_millis), null)",
            "if(operation_kind = 'transaction_mark' and sequence_number is null, offset, null)",
            'if(reason is null, null, struct(batch_id, topic, partition, offset))',
            'if(emptied_index > 0, emptied_table, null)',
        ], 'image.row_image') }} as change_id,
        if(emptied_table is null, database_name, emptied_table.database_name) as database_name,
        if(emptied_table is null, nullif(schema_name, ''), emptied_table.schema_name) as schema_name,
        if(emptied_table is null, table_name, emptied_table.table_name) as table_name,
        {{ json_names('key_names') }} as key_columns,
        image.row_key as message_key,
        if(image.side = 'postimage' and operation_kind = 'update', null_in_both, null) as null_in_both,
        ---------- change
        {{ change_type('reason', 'operation_kind', 'image.side') }} as change_type,
        -- A missing number marks no full load (design rule 1): nothing in this format does.
        false as is_snapshot,
        image.row_image,
        if(image is null, 'none', if(image.side = 'postimage' and is_partial, 'partial', 'full')) as image_scope,
        operation as source_operation,
        ---------- order
        {{ timestamp_from_millis('event_millis') }} as event_at,
        {{ timestamp_from_millis('system_millis') }} as emitted_at,
        {{ timestamp_from_millis('checkpoint_millis') }} as checkpoint_at,
        coalesce(image_index, emptied_index, 0) as event_index,
        -- Without a number only the position tells the changes of one second apart, so no image goes before another.
        {{ change_order(
            'is_snapshot',
            'order_in_second.sequence',
            'order_in_second.serial',
            "if(sequence_text is not null and operation_kind = 'update' and image.side = 'preimage', 0, 1)",
            'coalesce(image_index, emptied_index, 0)',
        ) }} as change_order,
        ---------- provenance, control
        {{ metadata_map([
            'tenant', 'db_type', 'db_version', 'version', 'checkpoint_time', 'load_fm', 'column_types',
        ]) }} as source_metadata,
        {{ control_kind('reason', 'operation_kind') }} as control_kind,
        if(
            reason is null and is_ddl,
            if(operation = 'QUERY' and operation_kind = 'truncate', ddl.kind, operation),
            null
        ) as ddl_kind
    from parsed
        lateral view posexplode_outer(images) exploded as image_index, image
        lateral view posexplode_outer(emptied_tables) emptied as emptied_index, emptied_table
)

select
    {{ event_columns(unsaid=[
        'fold_scope', 'before_hash', 'may_change_key', 'transaction_id', 'ddl_meta_text',
    ]) | indent(4) }}
from renamed
