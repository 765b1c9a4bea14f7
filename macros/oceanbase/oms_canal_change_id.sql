{#- The identity of a Canal change: copies of a statement, one per partition, count once; a row is where it lies. -#}
{% macro oms_canal_change_id() -%}
{{ change_id([
    'source_name', 'source_database', 'source_table', 'operation', 'image.side', 'image.old',
    'if(reason is null and is_schema_change, struct(event_millis, statement), null)',
    'if(reason is null and is_schema_change, null, struct(topic, partition, offset, image_index))',
    'if(reason is null, null, batch_id)',
], 'image.data') }}
{%- endmacro %}
