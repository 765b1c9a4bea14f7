{%- set members = {
    'operation': 'op', 'emitted_millis': 'ts_ms',
    'before_image': ['before', 'object'], 'after_image': ['after', 'object'],
    'version': 'source.version', 'connector': 'source.connector',
    'database_name': 'source.db', 'namespace': 'source.namespace', 'source_schema': 'source.schema',
    'table_path': 'source.table', 'source_millis': 'source.ts_ms',
} -%}
with source as (
    select
        *,
        open_json(value, {{ enveloped_json_members(members) }}) as opened,
        {{ json_record_key('key') }} as opened_key
    from {{ landed_messages(with_key=true) }}
    where format in ('lindorm_sql', 'lindorm_hbase')
),

parsed as (
    select
        *,
        {{ enveloped_members(members) }},
        {{ connect_columns('connect_schema') }} as typed_columns,
        {{ types_by_name('typed_columns') }} as column_types,
        -- Lindorm has namespaces, PostgreSQL in general Debezium schemas.
        coalesce(namespace, source_schema) as schema_name,
        nullif(table_path, '') as table_name,
        {{ record_key('key', 'opened_key') }} as record_key,
        -- General Debezium sends a null value after a delete, for log compaction; such a message has a key.
        if(value is null and record_key is not null, 'tombstone', {{ envelope_kind('operation') | indent(8) }})
            as operation_kind,
        coalesce(operation_kind in ('insert', 'upsert', 'update', 'delete'), false) as is_row_change,
        coalesce(operation_kind in ('insert', 'upsert', 'update'), false) as needs_after,
        is_row_change or coalesce(operation_kind = 'truncate', false) as needs_table,
        coalesce(operation = 'r', false) as is_snapshot,
        coalesce(before_image, '{}') <> '{}' as has_before,
        coalesce(after_image, '{}') <> '{}' as has_after,
        {{ whole_number('source_millis') }} as sequence_number,
        -- The time of the capture is meaningless without the time of the change.
        if(sequence_number is null, null, {{ whole_number('emitted_millis') }}) as serial,
        -- A delete without an image still names its row.
        if(operation = 'd' and not has_before, record_key, null) as key_image,
        -- The row before the change, for the fold: an empty text if it did not exist. Not every exporter sends it.
        if(operation = 'c', '', if(has_before, before_image, null)) as hashed_image,
        if(is_row_change, coalesce(sha2(hashed_image, 256), 'unknown'), null) as before_hash,
        missing_columns(if(has_after, before_image, null), after_image) as deleted_columns,
        ---------- checks: a message without a key and an update without its before image are accepted
        case
            when operation_kind = 'tombstone' then null
            when opened.error_code is not null then struct(opened.error_code as code, opened.error_detail as detail)
            when operation is null then {{ reason('missing_operation', 'payload.op') }}
            when operation_kind is null then {{ reason('unknown_operation', 'payload.op') }}
            when needs_table and table_name is null then {{ reason('missing_table', 'payload.source.table') }}
            when needs_table and source_millis is not null and sequence_number is null
                then {{ reason('invalid_sequence', 'payload.source.ts_ms') }}
            when {{ is_bad_millis(['source_millis', 'emitted_millis']) }}
                then {{ reason('invalid_timestamp', 'payload.source.ts_ms, payload.ts_ms') }}
            when operation_kind = 'delete' and not has_before and key_image is null
                then {{ reason('missing_image', 'payload.before') }}
            when needs_after and not has_after then {{ reason('missing_image', 'payload.after') }}
            when has_before and operation_kind not in ('update', 'delete')
                then {{ reason('unexpected_image', 'payload.before') }}
            when has_after and not needs_after then {{ reason('unexpected_image', 'payload.after') }}
        end as reason,
        if(reason is null, {{ row_images('coalesce(key_image, before_image)', 'after_image') }}, null) as images
    from source
),

renamed as (
    select
        *,
        ---------- identity
        -- Row, time, operation and both images, whenever it was written to Kafka. A truncate counts once, whatever the
        -- partition; messages without a row are identified by their position.
        {{ change_id([
            'source_name', 'database_name', 'schema_name', 'table_name', 'operation', 'image.side', 'source_millis',
            'if(is_row_change, struct(record_key, before_hash, sha2(after_image, 256)), null)',
            "if(operation_kind = 'heartbeat', struct(topic, partition, emitted_millis), null)",
            "if(operation_kind in ('message', 'tombstone'), struct(topic, partition, offset), null)",
            'if(reason is null, null, struct(batch_id, topic, partition, offset))',
        ], 'image.row_image') }} as change_id,
        -- ROW is the row key of every HBase table, but a record key takes precedence.
        if(
            format = 'lindorm_hbase' and record_key is null
            and array_contains(json_object_keys(image.row_image), 'ROW'),
            array('ROW'),
            null
        ) as key_columns,
        if(image is null, null, record_key) as message_key,
        ---------- change
        {{ change_type('reason', 'operation_kind', 'image.side') }} as change_type,
        image.row_image,
        -- An image is the whole row: a column that it lacks was removed.
        case when image is null then 'none' when key_image is not null then 'key' else 'full' end as image_scope,
        operation as source_operation,
        ---------- order
        millis_timestamp(source_millis) as event_at,
        millis_timestamp(emitted_millis) as emitted_at,
        coalesce(image_index, 0) as event_index,
        {{ change_order(
            'is_snapshot', 'sequence_number', 'serial',
            "if(operation_kind = 'update' and image.side = 'preimage', 0, 1)",
        ) }} as change_order,
        ---------- provenance, control
        {{ metadata_map(['version', 'connector', 'deleted_columns', 'column_types']) }} as source_metadata,
        {{ control_kind('reason', 'operation_kind') }} as control_kind,
        if(reason is null and operation_kind = 'truncate', 'TRUNCATE', null) as ddl_kind
    from parsed
        lateral view posexplode_outer(images) exploded as image_index, image
)

select
    {{ event_columns(absent=[
        'null_in_both', 'fold_scope', 'missing_columns', 'may_change_key', 'checkpoint_at', 'transaction_id',
        'ddl_text', 'ddl_meta_text',
    ]) | indent(4) }}
from renamed
