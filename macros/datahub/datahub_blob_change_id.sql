{#- The identity of a Blob change: its number, or for control events all that the message says about it. -#}
{% macro datahub_blob_change_id() -%}
{{ change_id([
    'source_name', 'database_name', 'schema_name', 'table_name', 'sequence_number', 'operation_kind', 'image.side',
    'if(is_row_change, null, struct(operation, event_millis, ddl_text))',
    'if(is_snapshot, system_millis, null)',
    "if(operation_kind in ('heartbeat', 'transaction_mark'), "
    ~ "struct(topic, partition, system_millis, checkpoint_millis), null)",
    "if(operation_kind = 'transaction_mark' and sequence_number is null, offset, null)",
    'if(reason is null, null, struct(batch_id, topic, partition, offset))',
], 'image.row_image') }}
{%- endmacro %}
