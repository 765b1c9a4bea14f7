-- The newest truncate of each table; without a sequence, of each partition.
with truncates as (
    {{ placed_truncates() }}
)

select
    source_name,
    format,
    database_name,
    schema_name,
    table_name,
    is_by_position,
    if(is_by_position, place.change_order.topic, null) as topic,
    if(is_by_position, place.change_order.partition, null) as partition,
    max(place.change_order) as change_order,
    max(place.event_at) as event_at
from truncates
group by
    source_name, format, database_name, schema_name, table_name, is_by_position,
    if(is_by_position, place.change_order.topic, null),
    if(is_by_position, place.change_order.partition, null)
