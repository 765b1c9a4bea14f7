{#- The identity of a change in the Default formats: both images of its message, for a row may come back to one that it
    had before. Without a sequence, second and transaction tell equal contents apart, and without a time (but in a full
    load) only the position. DDL that is copied to every partition counts once; heartbeats are told apart by partition. -#}
{% macro oms_default_change_id() -%}
{{ change_id([
    'source_name', 'database_name', 'table_name', 'operation_kind', 'image.side', 'event_seconds',
    'if(is_row_change, struct(sequence_number, if(sequence_number is null, transaction_id, null)), null)',
    'if(is_row_change, images.row_image, null)',
    'if(is_row_change and not is_snapshot and sequence_number is null and event_seconds is null, '
    ~ 'struct(topic, partition, offset), null)',
    'if(is_row_change, null, struct(ddl_kind, ddl_text))',
    "if(operation_kind = 'heartbeat', struct(topic, partition, checkpoint, if(event_seconds is null, offset, null)), null)",
    'if(reason is null, null, struct(batch_id, topic, partition, offset))',
], 'image.row_image') }}
{%- endmacro %}
