{%- set members = {
    'operation': 'recordType',
    'before_image': ['prevStruct', 'object'], 'after_image': ['postStruct', 'object'],
    'db_type': 'allMetaData.dbType', 'db': 'allMetaData.db', 'table_name': 'allMetaData.table_name',
    'record_primary_key': 'allMetaData.record_primary_key',
    'record_primary_value': 'allMetaData.record_primary_value',
    'sequence_text': 'allMetaData.storeDataSequence', 'timestamp_text': 'allMetaData.timestamp',
    'checkpoint': 'allMetaData.checkpoint', 'transaction_id': 'allMetaData.transId',
    'unique_id': 'allMetaData.uniqueId', 'source_identity': 'allMetaData.source_identity',
    'cluster_id': 'allMetaData.clusterId', 'ddl_type': 'allMetaData.ddlType',
} -%}
with source as (
    select
        *,
        open_json(value, {{ json_members(members) }}) as opened
    from {{ landed_messages() }}
    where format = 'oms_default'
)

select
    * except (opened),
    {{ named_members(members) }},
    cast(null as string) as column_types,
    null_columns(if(operation = 'UPDATE', before_image, null), after_image) as null_in_both,
    if(opened.error_code is null, null, struct(opened.error_code as code, opened.error_detail as detail)) as open_error,
    missing_columns(if(operation = 'UPDATE', before_image, null), after_image) as missing_columns
from source
