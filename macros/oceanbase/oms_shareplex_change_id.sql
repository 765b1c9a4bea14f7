{#- The identity of a SharePlex change: `posttime`, `idx` and `size` differ in a second delivery. Its number may be the
    same for all, so it is also all that the message says of the row. DDL that is copied to every partition counts once;
    without time and number, only the position tells two equal changes apart. -#}
{% macro oms_shareplex_change_id() -%}
{{ change_id([
    'source_name', 'database_name', 'table_name', 'operation', 'image.side', 'time', 'ddl_text',
    'if(is_row_change, struct(sequence_number, seq, trans, row_identity, images.row_image), null)',
    'if(event_at is null, struct(sequence_number), null)',
    'if(event_at is null and sequence_number is null, struct(topic, partition, offset), null)',
    'if(reason is null, null, struct(batch_id, topic, partition, offset))',
], 'image.row_image') }}
{%- endmacro %}
