-- A redelivered truncate keeps its first position. Without sequence and serial every position is a truncate of its own:
-- such a table is emptied per partition, and a source that resends a truncate also resends the changes after it.
with truncates as (
    select
        struct(source_name, format, database_name, schema_name, table_name) as named_table,
        coalesce(change_order.sequence, change_order.serial) is null as is_by_position,
        if(is_by_position, change_order.topic, null) as topic,
        if(is_by_position, change_order.partition, null) as partition,
        -- Where messages contain the position in the source log, the first copy of a truncate is its position.
        {{ is_format_with('format', 'has_log_position') }} as has_log_position,
        if(is_by_position and not has_log_position, change_order.offset, null) as offset,
        change_id,
        struct(change_order, event_at) as place,
        append_number
    from {{ ref('events') }}
    where outcome in ('change', 'duplicate') and change_type = 'truncate'
        -- Every truncate has a kind; Delta skips files without one.
        and ddl_kind is not null
        and not fold_scope <=> 'copy'
),

-- Tables with row changes: how many have the same name apart from case, and the append that brought the newest.
known as (
    select
        struct(source_name, format, database_name, schema_name, table_name) as source_table,
        count(*) over same_name as spellings,
        max(min(append_number)) over same_name as spelled_since,
        size(collect_set(database_name) over same_database) as database_spellings,
        max(min(append_number)) over same_database as database_spelled_since
    from {{ ref('appends') }}
    where row_changes > 0
    group by source_name, format, database_name, schema_name, table_name
    window
        same_database as (partition by source_name, format, lower(database_name)),
        same_name as (partition by source_name, format, lower(database_name), schema_name, lower(table_name))
),

named as (
    select distinct
        named_table,
        named_table.table_name is null as is_of_database
    from truncates
),

-- DDL may spell a name in another case than row changes. A statement then applies only while exactly one table (or
-- database) has that name ignoring case. When a second one appears, the first keeps a row here with that append_number,
-- so that its rows are folded again, without the truncate.
targets as (
    select
        named_table,
        named_table as source_table,
        false as may_stop,
        true as applies,
        0L as spelled_since
    from named
    where not is_of_database
    union all
    select /*+ broadcast(known) */
        named.named_table,
        known.source_table,
        not named.is_of_database or not named.named_table.database_name <=> known.source_table.database_name
            as may_stop,
        not may_stop or if(named.is_of_database, known.database_spellings, known.spellings) = 1 as applies,
        if(not may_stop, 0L, if(named.is_of_database, known.database_spelled_since, known.spelled_since))
            as spelled_since
    from named
    inner join known
        on named_table.source_name = known.source_table.source_name and named_table.format = known.source_table.format
            and lower(named.named_table.database_name) <=> lower(known.source_table.database_name)
            and not named.named_table <=> known.source_table
            and (named.is_of_database or lower(named.named_table.table_name) = lower(known.source_table.table_name))
            -- A database: all its tables, or those of one of its schemas.
            and if(
                named.is_of_database and named.named_table.schema_name is null,
                named.named_table.database_name <> '',
                named.named_table.schema_name <=> known.source_table.schema_name
            )
),

placed as (
    select
        targets.source_table,
        targets.applies,
        truncates.is_by_position,
        truncates.topic,
        truncates.partition,
        truncates.offset,
        truncates.change_id,
        min(truncates.place) as place,
        max(greatest(truncates.append_number, targets.spelled_since)) as append_number
    from truncates
    inner join targets on truncates.named_table <=> targets.named_table
    group by all
),

-- The newest truncate of a table (if by position: of a partition) covers all older ones.
by_partition as (
    select
        source_table,
        applies,
        struct(
            is_by_position, topic, partition, max(place.change_order) as change_order, max(place.event_at) as event_at
        ) as newest,
        collect_list(struct(is_by_position, place.change_order, place.event_at, change_id)) as truncates,
        max(append_number) as append_number
    from placed
    group by source_table, applies, is_by_position, topic, partition
)

select
    source_table.*,
    collect_list(newest) filter (where applies) as newest_truncates,
    flatten(collect_list(truncates) filter (where applies)) as truncates,
    max(append_number) as append_number
from by_partition
group by source_table
