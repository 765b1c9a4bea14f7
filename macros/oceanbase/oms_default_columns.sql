{#- The events of both Default formats, column by column: these differ only in what `parsed` finds. -#}
{% macro oms_default_columns() -%}
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
    when image.side = 'postimage' then postimage_scope
    else 'full'
end as image_scope,
operation as source_operation,
{{ fold_columns(missing_columns='missing_columns') }},
---------- order
sequence_number,
timestamp_seconds(event_seconds) as event_at,
cast(null as timestamp) as emitted_at,
checkpoint_at,
transaction_id,
coalesce(image_index, 0) as event_index,
{{ change_order(
    'is_snapshot', 'position_in_time.sequence', 'position_in_time.serial',
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
    'column_types',
]) }} as source_metadata,
---------- control and quarantine
if(reason is null and operation_kind in ('heartbeat', 'schema_change'), operation_kind, null) as control_kind,
if(reason is null, ddl_kind, null) as ddl_kind,
ddl_text,
cast(null as string) as ddl_meta_text,
reason.code as reason_code,
reason.detail as reason_detail,
value
{%- endmacro %}
