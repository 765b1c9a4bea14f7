{%- set members = {
    'operation': 'payload.op', 'sequence_text': 'payload.sequenceId',
    'before_image': ['payload.before.dataColumn', 'object'],
    'after_image': ['payload.after.dataColumn', 'object'],
    'event_millis': 'payload.timestamp.eventTime', 'system_millis': 'payload.timestamp.systemTime',
    'checkpoint_millis': 'payload.timestamp.checkpointTime',
    'ddl_text': 'payload.ddl.text', 'ddl_meta_text': ['payload.ddl.ddlMeta', 'ddl_meta'],
    'key_names': ['schema.primaryKey', 'names'],
    'before_key': ['payload.before.dataColumn', 'key', {'names': 'schema.primaryKey'}],
    'after_key': ['payload.after.dataColumn', 'key', {'names': 'schema.primaryKey'}],
    'database_name': 'schema.source.dbName', 'schema_name': 'schema.source.schemaName',
    'table_name': 'schema.source.tableName', 'db_type': 'schema.source.dbType',
    'db_version': 'schema.source.dbVersion', 'version': 'version', 'column_types': ['schema.dataColumn', 'types'],
} -%}
with source as (
    select
        *,
        open_json(value, {{ json_members(members) }}) as opened
    from {{ landed_messages() }}
    where format = 'datahub_blob'
),

parsed as (
    select
        *,
        {{ named_members(members) }},
        read_ddl(ddl_text, database_name, schema_name, table_name) as ddl,
        {{ operation_kind('operation', 'ddl') }} as operation_kind,
        coalesce(operation_kind in ('insert', 'update', 'delete'), false) as is_row_change,
        coalesce(before_image, '{}') <> '{}' as has_before,
        coalesce(after_image, '{}') <> '{}' as has_after,
        coalesce(sequence_text = '-1' and operation = 'INSERT', false) as is_snapshot,
        try_cast(if(sequence_text = '-1', null, sequence_text) as decimal(38, 0)) as sequence_number,
        if(operation_kind = 'update' and has_after, coalesce(column_types, before_image), null) as declared_columns,
        missing_columns(declared_columns, after_image) as missing_columns,
        {{ emptied_tables('operation_kind', 'ddl', 'database_name', 'schema_name', 'table_name') }} as tables,
        ---------- checks
        case
            when opened.error_code is not null then struct(opened.error_code as code, opened.error_detail as detail)
            when operation is null then {{ reason('missing_operation', 'payload.op') }}
            when operation_kind is null then {{ reason('unknown_operation', 'payload.op') }}
            when (is_row_change and coalesce(table_name, '') = '') or (operation_kind = 'truncate' and tables is null)
                then {{ reason('missing_table', 'schema.source.tableName') }}
            -- Control messages may have -1 or no number.
            when not is_snapshot and not sequence_text rlike r'^[0-9]{0,38}\z'
                and (is_row_change or operation_kind = 'truncate' or sequence_text <> '-1')
                then {{ reason('invalid_sequence', 'payload.sequenceId') }}
            when {{ is_bad_millis(['event_millis', 'system_millis', 'checkpoint_millis']) }}
                then {{ reason('invalid_timestamp', 'payload.timestamp') }}
            when operation in ('UPDATE', 'UPDATE_BEFOR', 'UPDATE_BEFORE', 'DELETE') and not has_before
                then {{ reason('missing_image', 'payload.before.dataColumn') }}
            when operation in ('INSERT', 'UPDATE', 'UPDATE_AFTER') and not has_after
                then {{ reason('missing_image', 'payload.after.dataColumn') }}
            -- UPDATE_AFTER may contain the preimage too: one message then replaces the pair.
            when has_before and operation_kind not in ('update', 'delete')
                then {{ reason('unexpected_image', 'payload.before.dataColumn') }}
            when has_after and operation not in ('INSERT', 'UPDATE', 'UPDATE_AFTER')
                then {{ reason('unexpected_image', 'payload.after.dataColumn') }}
        end as reason,
        if(reason is null, tables, null) as emptied_tables,
        if(reason is null, {{ row_images('before_image', 'after_image', 'before_key', 'after_key') }}, null) as images
    from source
),

renamed as (
    select
        * except (database_name, schema_name, table_name),
        ---------- identity
        -- A change is identified by its sequence, a control event by everything that the message contains about it.
        {{ change_id([
            'source_name', 'database_name', 'schema_name', 'table_name', 'sequence_number', 'operation_kind',
            'image.side', 'if(is_row_change, null, struct(operation, event_millis, ddl_text))',
            'if(is_snapshot, system_millis, null)',
            "if(operation_kind in ('heartbeat', 'transaction_mark'), "
            ~ "struct(topic, partition, system_millis, checkpoint_millis), null)",
            "if(operation_kind = 'transaction_mark' and sequence_number is null, offset, null)",
            'if(reason is null, null, struct(batch_id, topic, partition, offset))',
            'if(emptied_index > 0, emptied_table, null)',
        ], 'image.row_image') }} as change_id,
        if(emptied_table is null, nullif(database_name, ''), emptied_table.database_name) as database_name,
        if(emptied_table is null, nullif(schema_name, ''), emptied_table.schema_name) as schema_name,
        if(emptied_table is null, table_name, emptied_table.table_name) as table_name,
        list_texts(key_names) as key_columns, image.row_key as message_key,
        ---------- change
        {{ change_type('reason', 'operation_kind', 'image.side') }} as change_type, image.row_image,
        if(image is null, 'none', if(image.side = 'postimage' and missing_columns is not null, 'partial', 'full'))
            as image_scope,
        operation as source_operation,
        ---------- order
        millis_timestamp(event_millis) as event_at,
        millis_timestamp(system_millis) as emitted_at,
        millis_timestamp(checkpoint_millis) as checkpoint_at,
        coalesce(image_index, emptied_index, 0) as event_index,
        -- All full-load rows have -1: the time of the load orders two loads of one key.
        {{ change_order(
            'is_snapshot', 'if(is_snapshot, try_cast(system_millis as decimal(38, 0)), sequence_number)', 'null',
            "if(image.side = 'preimage', 0, 1)",
        ) }} as change_order,
        ---------- provenance, control
        {{ metadata_map(['db_type', 'db_version', 'version', 'checkpoint_millis', 'column_types']) }}
            as source_metadata,
        {{ control_kind('reason', 'operation_kind') }} as control_kind,
        if(
            reason is null and operation_kind in ('truncate', 'schema_change'),
            if(operation = 'QUERY' and operation_kind = 'truncate', ddl.kind, operation), null
        ) as ddl_kind
    from parsed
        lateral view posexplode_outer(images) exploded as image_index, image
        lateral view posexplode_outer(emptied_tables) emptied as emptied_index, emptied_table
)

select
    {{ event_columns(['null_in_both', 'fold_scope', 'before_hash', 'may_change_key', 'transaction_id']) | indent(4) }}
from renamed
