{%- set members = {
    'operation': 'payload.op', 'scn': 'payload.scn',
    'before_image': ['payload.before.data', 'object'], 'after_image': ['payload.after.data', 'object'],
    'event_time': 'payload.timestamp.eventTime', 'system_time': 'payload.timestamp.systemTime',
    'checkpoint_time': 'payload.timestamp.checkpointTime', 'ddl_text': 'payload.ddl.text',
    'key_names': ['schema.pk', 'names'],
    'before_key': ['payload.before.data', 'key', {'names': 'schema.pk'}],
    'after_key': ['payload.after.data', 'key', {'names': 'schema.pk'}],
    'db': 'schema.source.dbName', 'schema_name': 'schema.source.schema', 'table_name': 'schema.source.table',
    'db_type': 'schema.source.dbType', 'db_version': 'schema.source.dbVersion', 'version': 'version',
    'load_fm': 'extend.load_fm', 'column_types': ['schema.column', 'types'],
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
        coalesce(before_image, '{}') <> '{}' as has_before,
        coalesce(after_image, '{}') <> '{}' as has_after,
        -- Only OceanBase puts a tenant before the first dot, and not always.
        if(db_type rlike '^(?i:ob|oceanbase)' and contains(db, '.'), substring_index(db, '.', 1), null) as tenant,
        nullif(if(tenant is null, db, substr(db, length(tenant) + 2)), '') as database_name,
        list_texts(key_names) as key_columns,
        read_ddl(ddl_text, database_name, schema_name, table_name) as ddl,
        if(startswith(operation, 'UPDATE_'), null, {{ operation_kind('operation', 'ddl') }}) as operation_kind,
        coalesce(operation_kind in ('insert', 'update', 'delete'), false) as is_row_change,
        coalesce(operation_kind in ('truncate', 'schema_change'), false) as is_ddl,
        coalesce(operation_kind in ('update', 'delete'), false) as needs_before,
        coalesce(operation_kind in ('insert', 'update'), false) as needs_after,
        {{ emptied_tables('operation_kind', 'ddl', 'database_name', 'schema_name', 'table_name') }} as tables,
        if(scn in ('', 'null'), null, scn) as sequence_text,
        try_cast(sequence_text as decimal(38, 0)) as sequence_number,
        -- Ten digits are seconds: as milliseconds all of them would be before May 1970.
        if(event_time rlike r'^[0-9]{10}\z', event_time || '000', event_time) as event_millis,
        if(system_time rlike r'^[0-9]{10}\z', system_time || '000', system_time) as system_millis,
        if(checkpoint_time rlike r'^[0-9]{10}\z', checkpoint_time || '000', checkpoint_time) as checkpoint_millis,
        unix_seconds(millis_timestamp(event_millis)) as event_seconds,
        {{ order_in_second('sequence_text', 'event_seconds') }} as order_in_second,
        ---------- checks: a message without sequence, time or key is accepted
        case
            when opened.error_code is not null then struct(opened.error_code as code, opened.error_detail as detail)
            when operation is null then {{ reason('missing_operation', 'payload.op') }}
            when operation_kind is null then {{ reason('unknown_operation', 'payload.op') }}
            when (is_row_change and coalesce(table_name, '') = '') or (operation_kind = 'truncate' and tables is null)
                then {{ reason('missing_table', 'schema.source.table') }}
            when not sequence_text rlike r'^[0-9]{1,38}\z' then {{ reason('invalid_sequence', 'payload.scn') }}
            when {{ is_bad_millis(['event_millis', 'system_millis', 'checkpoint_millis']) }}
                then {{ reason('invalid_timestamp', 'payload.timestamp') }}
            when needs_before and not has_before then {{ reason('missing_image', 'payload.before.data') }}
            when needs_after and not has_after then {{ reason('missing_image', 'payload.after.data') }}
            when has_before and not needs_before then {{ reason('unexpected_image', 'payload.before.data') }}
            when has_after and not needs_after then {{ reason('unexpected_image', 'payload.after.data') }}
        end as reason,
        if(
            reason is null and is_ddl,
            if(operation = 'QUERY' and operation_kind = 'truncate', ddl.kind, operation), null
        ) as ddl_kind,
        null_columns(if(operation_kind = 'update', before_image, null), after_image) as null_in_both,
        missing_columns(if(operation_kind = 'update', before_image, null), after_image) as missing_columns,
        if(reason is null, tables, null) as emptied_tables,
        if(reason is null, {{ row_images('before_image', 'after_image', 'before_key', 'after_key') }}, null) as images
    from source
)

select
    * except (
        opened, scn, event_time, system_time, key_names, before_key, after_key, db, has_before, has_after, ddl,
        needs_before, needs_after, tables
    )
from parsed
