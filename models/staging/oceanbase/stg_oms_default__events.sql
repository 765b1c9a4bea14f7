{%- set members = {
    'operation': ['recordType', 'text'],
    'before_image': ['prevStruct', 'object'],
    'after_image': ['postStruct', 'object'],
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
    from {{ landed_messages() }}
    where format = 'oms_default'
),

parsed as (
    select
        *,
        {{ named_members(members) }},
        {{ oms_default_meaning() }},
        {{ order_in_second('sequence_text', 'event_seconds') }} as order_in_second,
        null_columns(if(operation = 'UPDATE', before_image, null), after_image) as null_in_both,
        {{ missing_columns('after_image', "if(operation = 'UPDATE', before_image, null)") }} as missing_columns,
        if(missing_columns is null, 'full', 'partial') as postimage_scope,
        cast(null as string) as column_types,
        {{ oms_default_reason() }} as reason,
        if(reason is null, tables, null) as emptied_tables,
        -- A message that cannot be read is one event, whatever it holds.
        if(reason is null and is_row_change, {{ row_images('before_image', 'after_image') }}, null) as images
    from source
),

renamed as (
    select
        * except (database_name, table_name, null_in_both, ddl_kind),
        {{ oms_default_columns() | indent(8) }}
    from parsed
        lateral view posexplode_outer(images) exploded as image_index, image
        lateral view posexplode_outer(emptied_tables) emptied as emptied_index, emptied_table
)

select
    {{ event_columns(unsaid=[
        'schema_name', 'message_key', 'fold_scope', 'before_hash', 'may_change_key', 'emitted_at', 'ddl_meta_text',
    ]) | indent(4) }}
from renamed
