{#-
    The truncates of tables, each with its place. Copies of one stand at several positions: the first is its own. Without a
    sequence each position is a place: such a table is emptied partition by partition, and a source that sends a truncate
    again sends again what came after it.
-#}
{% macro placed_truncates() -%}
select
    source_name,
    format,
    database_name,
    schema_name,
    table_name,
    change_order.sequence is null as is_by_position,
    change_id,
    min(struct(change_order, event_at)) as place
from {{ ref('events') }}
where outcome in ('change', 'duplicate')
    and change_type = 'truncate'
    -- Every truncate has a kind; Delta skips the files without one.
    and ddl_kind is not null
group by
    source_name, format, database_name, schema_name, table_name, is_by_position, change_id,
    if(change_order.sequence is null, struct(change_order.topic, change_order.partition, change_order.offset), null)
{%- endmacro %}
