{%- set members = {
    'operation': ['op', 'text'],
    'emitted_millis': ['ts_ms', 'text'],
    'before_image': ['before', 'object'],
    'after_image': ['after', 'object'],
    'version': ['source.version', 'text'],
    'connector': ['source.connector', 'text'],
    'database_name': ['source.db', 'text'],
    'namespace': ['source.namespace', 'text'],
    'source_schema': ['source.schema', 'text'],
    'table_path': ['source.table', 'text'],
    'source_millis': ['source.ts_ms', 'text'],
} -%}
with source as (
    select
        *,
        open_json(value, {{ enveloped_json_members(members) }}) as opened,
        {{ json_record_key('key') }} as opened_key
    from {{ landed_messages() }}
    where format in ('lindorm_sql', 'lindorm_hbase')
),

parsed as (
    select
        *,
        {{ enveloped_members(members) }},
        {{ connect_columns('connect_schema') }} as typed_columns,
        {{ types_by_name('typed_columns') }} as column_types,
        {{ lindorm_meaning() }},
        -- Lindorm has namespaces, PostgreSQL in general Debezium schemas.
        coalesce(namespace, source_schema) as schema_name,
        {{ lindorm_reason() }} as reason,
        -- A message that cannot be read is one event, whatever it holds.
        if(reason is null, {{ row_images('coalesce(key_image, before_image)', 'after_image') }}, null) as images
    from source
),

renamed as (
    select
        *,
        ---------- identity
        -- Row, time, operation and both images, whenever it was written to Kafka. A truncate counts once, whatever the
        -- partition; what carries no row is told apart by where it lies.
        {{ change_id([
            'source_name', 'database_name', 'schema_name', 'table_name', 'operation', 'image.side', 'source_millis',
            'if(is_row_change, struct(record_key, before_hash, sha2(after_image, 256)), null)',
            "if(operation_kind = 'heartbeat', struct(topic, partition, emitted_millis), null)",
            "if(operation_kind in ('message', 'tombstone'), struct(topic, partition, offset), null)",
            'if(reason is null, null, struct(batch_id, topic, partition, offset))',
        ], 'image.row_image') }} as change_id,
        -- ROW is the row key of every HBase table, but the record key, if there is one, is sent for that purpose.
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
        case
            when image is null then 'none'
            when key_image is not null then 'key'
            -- A column that the image lacks was removed: nothing shines through.
            else 'full'
        end as image_scope,
        operation as source_operation,
        ---------- order
        {{ timestamp_from_millis('source_millis') }} as event_at,
        {{ timestamp_from_millis('emitted_millis') }} as emitted_at,
        coalesce(image_index, 0) as event_index,
        {{ change_order(
            'is_snapshot',
            'sequence_number',
            'serial',
            "if(operation_kind = 'update' and image.side = 'preimage', 0, 1)",
            'coalesce(image_index, 0)',
        ) }} as change_order,
        ---------- provenance, control
        {{ metadata_map(['version', 'connector', 'deleted_columns', 'column_types']) }} as source_metadata,
        {{ control_kind('reason', 'operation_kind') }} as control_kind,
        if(reason is null and operation_kind = 'truncate', 'TRUNCATE', null) as ddl_kind
    from parsed
        lateral view posexplode_outer(images) exploded as image_index, image
)

select
    {{ event_columns(unsaid=[
        'null_in_both', 'fold_scope', 'missing_columns', 'may_change_key', 'checkpoint_at', 'transaction_id',
        'ddl_text', 'ddl_meta_text',
    ]) | indent(4) }}
from renamed
