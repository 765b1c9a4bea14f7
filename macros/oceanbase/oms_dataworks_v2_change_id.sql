{#- The identity of a Dataworks v2 change: its number, time and images, for a number may be one of its second only;
    without number and time, where it lies. DDL that is copied to every partition counts once. -#}
{% macro oms_dataworks_v2_change_id() -%}
{{ change_id([
    'source_name', 'database_name', 'schema_name', 'table_name', 'operation_kind', 'image.side',
    'if(is_ddl, null, sequence_number)',
    'if(is_row_change, null, struct(operation, event_millis, ddl_text))',
    'if(is_row_change, struct(event_millis, images.row_image), null)',
    'if(is_row_change and sequence_number is null and event_seconds is null, struct(topic, partition, offset), null)',
    "if(operation_kind in ('heartbeat', 'transaction_mark'), "
    ~ "struct(topic, partition, system_millis, checkpoint_millis), null)",
    "if(operation_kind = 'transaction_mark' and sequence_number is null, offset, null)",
    'if(reason is null, null, struct(batch_id, topic, partition, offset))',
], 'image.row_image') }}
{%- endmacro %}
