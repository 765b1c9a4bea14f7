{%- set members = {
    'operation': 'recordType',
    'before_image': ['prevStruct', 'object', {'without': ['__light_type']}],
    'after_image': ['postStruct', 'object', {'without': ['__light_type']}],
    'db_type': 'allMetaData.dbType', 'db': 'allMetaData.db', 'table_name': 'allMetaData.table_name',
    'record_primary_key': 'allMetaData.record_primary_key',
    'record_primary_value': 'allMetaData.record_primary_value',
    'sequence_text': 'allMetaData.storeDataSequence', 'timestamp_text': 'allMetaData.timestamp',
    'checkpoint': 'allMetaData.checkpoint', 'transaction_id': 'allMetaData.transId',
    'unique_id': 'allMetaData.uniqueId', 'source_identity': 'allMetaData.source_identity',
    'cluster_id': 'allMetaData.clusterId', 'ddl_type': 'allMetaData.ddlType',
    'before_types': ['prevStruct.__light_type', 'any', {'keeps_order': true}],
    'after_types': ['postStruct.__light_type', 'any', {'keeps_order': true}],
} -%}
with source as (
    select
        *,
        open_json(value, {{ json_members(members) }}) as opened
    from {{ landed_messages() }}
    where format = 'oms_default_extend_column_type'
),

named as (
    select
        *,
        {{ named_members(members) }}
    from source
)

select
    * except (opened, before_types, after_types),
    -- In the order of the message; a column without a schemaType is left out.
    nullif(to_json(map_filter(
        map_zip_with(
            coalesce(from_json(after_types, 'map<string, struct<schemaType: string>>'), map()),
            coalesce(from_json(before_types, 'map<string, struct<schemaType: string>>'), map()),
            (name, after, before) -> coalesce(after.schematype, before.schematype)
        ),
        (name, type) -> type is not null
    )), '{}') as column_types,
    null_columns(if(operation = 'UPDATE', before_image, null), after_image) as null_in_both,
    if(opened.error_code is null, null, struct(opened.error_code as code, opened.error_detail as detail)) as open_error,
    missing_columns(if(operation = 'UPDATE', before_image, null), after_image) as missing_columns
from named
