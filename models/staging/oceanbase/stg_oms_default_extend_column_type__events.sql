{%- set members = {
    'operation': ['recordType', 'text'],
    'before_image': ['prevStruct', 'object', {'without': ['__light_type']}],
    'after_image': ['postStruct', 'object', {'without': ['__light_type']}],
    'before_types': ['prevStruct.__light_type', 'any'],
    'after_types': ['postStruct.__light_type', 'any'],
    'db_type': ['allMetaData.dbType', 'text'],
    'db': ['allMetaData.db', 'text'],
    'table_name': ['allMetaData.table_name', 'text'],
    'record_primary_key': ['allMetaData.record_primary_key', 'text'],
    'record_primary_value': ['allMetaData.record_primary_value', 'text'],
    'sequence_text': ['allMetaData.storeDataSequence', 'text'],
    'timestamp_text': ['allMetaData.timestamp', 'text'],
    'checkpoint': ['allMetaData.checkpoint', 'text'],
    'transaction_id': ['allMetaData.transId', 'text'],
    'unique_id': ['allMetaData.uniqueId', 'text'],
    'source_identity': ['allMetaData.source_identity', 'text'],
    'cluster_id': ['allMetaData.clusterId', 'text'],
    'ddl_type': ['allMetaData.ddlType', 'text'],
} -%}
with source as (
    select
        *,
        open_json(value, {{ json_members(members) }}) as opened
    from {{ source('landing', 'messages') }}
    where format = 'oms_default_extend_column_type'
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
        {{ oms_default_meaning() }},
        {{ second_order('sequence_text', 'event_seconds') }} as position_in_time,
        null_columns(if(operation = 'UPDATE', before_image, null), after_image) as null_in_both,
        filter(null_in_both, name -> {{ is_lob_type('name', ['after_types', 'before_types']) }}) as unchanged_lobs,
        if(array_size(unchanged_lobs) > 0, drop_columns(after_image, unchanged_lobs), after_image) as kept_image,
        {{ oms_default_reason() }} as reason,
        -- A message that cannot be read is one event, whatever it holds.
        if(reason is null and is_row_change, {{ row_images('before_image', 'kept_image') }}, null) as images
    from source
),

renamed as (
    select
        ---------- identity
        {{ oms_default_change_id() }} as change_id,
        source_name,
        format,
        database_name,
        cast(null as string) as schema_name,
        table_name,
        key_columns,
        cast(null as string) as message_key,
        -- Where the message gives no type, `events` may know from lob_columns which of them are LOBs.
        if(operation_kind = 'update' and image.side = 'postimage', null_in_both, null) as null_in_both,
        ---------- change
        case
            when reason is not null then null
            when operation_kind = 'update' then 'update_' || image.side
            -- REPLACE may carry the row that it replaced.
            when operation_kind = 'upsert' and image.side = 'preimage' then 'update_preimage'
            when is_row_change or operation_kind = 'truncate' then operation_kind
        end as change_type,
        is_snapshot,
        image.row_image,
        case
            when image is null then 'none'
            when image.side = 'postimage' and array_size(unchanged_lobs) > 0 then 'partial'
            else 'full'
        end as image_scope,
        operation as source_operation,
        ---------- order
        sequence_number,
        timestamp_seconds(event_seconds) as event_at,
        cast(null as timestamp) as emitted_at,
        checkpoint_at,
        transaction_id,
        coalesce(image_index, 0) as event_index,
        {{ change_order(
            'is_snapshot',
            'position_in_time.sequence',
            'position_in_time.serial',
            image_rank('image.side', 'position_in_time.serial'), 'coalesce(image_index, 0)',
        ) }} as change_order,
        ---------- provenance
        topic,
        partition,
        offset,
        landed_at,
        batch_id,
        {{ metadata_map([
            'tenant', 'db_type', 'unique_id', 'source_identity', 'cluster_id', 'checkpoint', 'record_primary_value',
        ]) }} as source_metadata,
        ---------- control and quarantine
        if(reason is null and operation_kind in ('heartbeat', 'schema_change'), operation_kind, null) as control_kind,
        if(reason is null, ddl_kind, null) as ddl_kind,
        ddl_text,
        cast(null as string) as ddl_meta,
        reason.code as reason_code,
        reason.detail as reason_detail,
        value
    from parsed
        lateral view posexplode_outer(images) exploded as image_index, image
)

select * from renamed
