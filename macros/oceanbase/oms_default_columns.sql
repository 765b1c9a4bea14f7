{#- What the events of both Default formats are, column by column: the formats differ only in what `parsed` finds. -#}
{% macro oms_default_columns() -%}
---------- identity
-- Both images of its message, for a row may come back to one that it had before. Without a sequence, second and
-- transaction tell equal contents apart, and without a time (but in a full load) only the position. DDL that is copied
-- to every partition counts once; heartbeats are told apart by partition.
{{ change_id([
    'source_name', 'database_name', 'table_name', 'operation_kind', 'image.side', 'event_seconds',
    'if(is_row_change, struct(sequence_number, if(sequence_number is null, transaction_id, null)), null)',
    'if(is_row_change, images.row_image, null)',
    'if(is_row_change and not is_snapshot and sequence_number is null and event_seconds is null, '
    ~ 'struct(topic, partition, offset), null)',
    'if(is_row_change, null, struct(ddl_kind, ddl_text))',
    "if(operation_kind = 'heartbeat', "
    ~ "struct(topic, partition, checkpoint, if(event_seconds is null, offset, null)), null)",
    'if(reason is null, null, struct(batch_id, topic, partition, offset))',
    'if(emptied_index > 0, emptied_table, null)',
], 'image.row_image') }} as change_id,
if(emptied_table is null, database_name, emptied_table.database_name) as database_name,
if(emptied_table is null, table_name, emptied_table.table_name) as table_name,
-- Where the message gives no type, `events` may know from lob_columns which of them are LOBs.
if(operation_kind = 'update' and image.side = 'postimage', null_in_both, null) as null_in_both,
---------- change
{{ change_type('reason', 'operation_kind', 'image.side') }} as change_type,
image.row_image,
case
    when image is null then 'none'
    when image.side = 'postimage' then postimage_scope
    else 'full'
end as image_scope,
operation as source_operation,
---------- order
timestamp_seconds(event_seconds) as event_at,
coalesce(image_index, emptied_index, 0) as event_index,
{{ change_order(
    'is_snapshot', 'order_in_second.sequence', 'order_in_second.serial',
    image_rank('image.side', 'order_in_second.serial'), 'coalesce(image_index, emptied_index, 0)',
) }} as change_order,
---------- provenance, control
{{ metadata_map([
    'tenant', 'db_type', 'unique_id', 'source_identity', 'cluster_id', 'checkpoint', 'record_primary_value',
    'column_types',
]) }} as source_metadata,
{{ control_kind('reason', 'operation_kind') }} as control_kind,
if(reason is null, ddl_kind, null) as ddl_kind
{%- endmacro %}
