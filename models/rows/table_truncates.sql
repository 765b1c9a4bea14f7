-- Copies of a truncate are at several positions: the first is its own. Without a sequence each position counts: such a
-- table is emptied partition by partition, and a source that sends a truncate again sends again what came after it.
with truncates as (
    select
        struct(source_name, format, database_name, schema_name, table_name) as source_table,
        change_order.sequence is null as is_by_position,
        if(is_by_position, change_order.topic, null) as topic,
        if(is_by_position, change_order.partition, null) as partition,
        if(is_by_position, change_order.offset, null) as offset,
        change_id,
        struct(change_order, event_at) as place,
        append_number
    from {{ ref('events') }}
    where outcome in ('change', 'duplicate')
        and change_type = 'truncate'
        -- Every truncate has a kind; files without one are skipped.
        and ddl_kind is not null
    -- Once, for all that is grouped below.
    distribute by source_table
),

placed as (
    select
        source_table,
        is_by_position,
        topic,
        partition,
        change_id,
        min(place) as place,
        max(append_number) as append_number
    from truncates
    group by source_table, is_by_position, topic, partition, offset, change_id
),

-- Of those of a table, and without a sequence of a partition, the newest empties all that the others empty.
by_partition as (
    select
        source_table,
        struct(
            is_by_position, topic, partition, max(place.change_order) as change_order, max(place.event_at) as event_at
        ) as newest,
        collect_list(struct(is_by_position, place.change_order, place.event_at, change_id)) as truncates,
        max(append_number) as append_number
    from placed
    group by source_table, is_by_position, topic, partition
)

select
    source_table.*,
    collect_list(newest) as newest_truncates,
    flatten(collect_list(truncates)) as truncates,
    max(append_number) as append_number
from by_partition
group by source_table
