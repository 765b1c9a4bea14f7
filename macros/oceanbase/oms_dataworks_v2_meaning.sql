{#- What a Dataworks v2 message means, by its named members. The tenant stands before the first dot of `dbName`, for
    OceanBase only, and may be missing. -#}
{% macro oms_dataworks_v2_meaning() -%}
coalesce(before_image, '{}') <> '{}' as has_before,
coalesce(after_image, '{}') <> '{}' as has_after,
coalesce(db_type rlike '^(?i:ob|oceanbase)' and contains(tenant_and_database, '.'), false) as has_tenant,
if(has_tenant, substring_index(tenant_and_database, '.', 1), null) as tenant,
nullif(if(has_tenant, substr(tenant_and_database, length(tenant) + 2), tenant_and_database), '') as database_name,
{{ ddl_statement('ddl_text', 'database_name', 'schema_name', 'table_name') }} as ddl,
if(startswith(operation, 'UPDATE_'), null, {{ operation_kind('operation', 'ddl') }}) as operation_kind,
coalesce(operation_kind in ('insert', 'update', 'delete'), false) as is_row_change,
coalesce(operation_kind in ('truncate', 'schema_change'), false) as is_ddl,
if(scn in ('', 'null'), null, scn) as sequence_text,
try_cast(sequence_text as decimal(38, 0)) as sequence_number,
-- Ten digits are seconds: as milliseconds they would all lie before May 1970.
if(event_time rlike r'^[0-9]{10}\z', event_time || '000', event_time) as event_millis,
if(system_time rlike r'^[0-9]{10}\z', system_time || '000', system_time) as system_millis,
if(checkpoint_time rlike r'^[0-9]{10}\z', checkpoint_time || '000', checkpoint_time) as checkpoint_millis,
unix_seconds({{ timestamp_from_millis('event_millis') }}) as event_seconds,
{{ order_in_second('sequence_text', 'event_seconds') }} as order_in_second
{%- endmacro %}
