{#- The identity of a Lindorm change: row, time, operation and both images, whenever it was written to Kafka. A truncate
    counts once, whatever the partition; what carries no row is told apart by where it lies. -#}
{% macro lindorm_change_id() -%}
{{ change_id([
    'source_name', 'database_name', 'schema_name', 'table_name', 'operation', 'image.side', 'source_millis',
    'if(is_row_change, struct(record_key, before_hash, sha2(after_image, 256)), null)',
    "if(operation_kind = 'heartbeat', struct(topic, partition, emitted_millis), null)",
    "if(operation_kind in ('message', 'tombstone'), struct(topic, partition, offset), null)",
    'if(reason is null, null, struct(batch_id, topic, partition, offset))',
], 'image.row_image') }}
{%- endmacro %}
