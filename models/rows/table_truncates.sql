-- A redelivered truncate keeps its first position. Without a sequence every position is a truncate of its own: such a
-- table is emptied per partition, and a source that resends a truncate also resends the changes after it.
with truncates as (
    select
        struct(source_name, format, database_name, schema_name, table_name) as named_table,
        change_order.sequence is null as is_by_position,
        if(is_by_position, change_order.topic, null) as topic,
        if(is_by_position, change_order.partition, null) as partition,
        -- Where messages contain the position in the source log, the first copy of a truncate is its position.
        {{ is_format_with('format', 'has_log_position') }} as has_log_position,
        if(is_by_position and not has_log_position, change_order.offset, null) as offset,
        change_id,
        struct(change_order, event_at) as place,
        append_number
    from {{ ref('events') }}
    where outcome in ('change', 'duplicate')
        and change_type = 'truncate'
        -- Every truncate has a kind; Delta skips files without one.
        and ddl_kind is not null
        and not fold_scope <=> 'copy'
),

-- The tables with row changes. For each: how many tables and databases have the same name apart from case, and the
-- append that brought the newest of them.
known_tables as (
    select
        source_table,
        count(*) over same_name as spellings,
        max(known_since) over same_name as spelled_since,
        size(collect_set(source_table.database_name) over same_database) as database_spellings,
        max(known_since) over same_database as database_spelled_since
    from (
        select
            struct(source_name, format, database_name, schema_name, table_name) as source_table,
            min(append_number) as known_since
        from {{ ref('appends') }}
        where row_changes > 0
        group by source_name, format, database_name, schema_name, table_name
    ) as first_changes
    window
        same_database as (
            partition by source_table.source_name, source_table.format, lower(source_table.database_name)
        ),
        same_name as (
            partition by
                source_table.source_name, source_table.format, lower(source_table.database_name),
                source_table.schema_name, lower(source_table.table_name)
        )
),

named as (
    select distinct named_table from truncates
),

-- DDL may write a name in another case than row changes do. A statement applies to a table or database with such a name
-- only as long as there is only one. When a second one appears, the first keeps a row here with that append_number, so
-- that its rows are folded again.
targets as (
    select
        named_table,
        named_table as source_table,
        false as may_stop,
        true as applies,
        0L as spelled_since
    from named
    where named.named_table.table_name is not null
    union all
    select /*+ broadcast(known_tables) */
        named.named_table,
        known_tables.source_table,
        named.named_table.table_name is not null
        or named.named_table.database_name <> known_tables.source_table.database_name as may_stop,
        not may_stop
        or if(named.named_table.table_name is null, known_tables.database_spellings, known_tables.spellings) = 1
            as applies,
        case
            when not may_stop then 0L
            when named.named_table.table_name is null then known_tables.database_spelled_since
            else known_tables.spelled_since
        end as spelled_since
    from named
    inner join known_tables
        on named_table.source_name = known_tables.source_table.source_name
            and named_table.format = known_tables.source_table.format
            and lower(named.named_table.database_name) <=> lower(known_tables.source_table.database_name)
            and not named.named_table <=> known_tables.source_table
            and if(
                named.named_table.table_name is null,
                -- All tables of a database, or of one of its schemas.
                if(
                    named.named_table.schema_name is null,
                    named.named_table.database_name <> '',
                    named.named_table.schema_name <=> known_tables.source_table.schema_name
                ),
                named.named_table.schema_name <=> known_tables.source_table.schema_name
                and lower(named.named_table.table_name) = lower(known_tables.source_table.table_name)
            )
),

placed as (
    select
        targets.source_table,
        targets.applies,
        truncates.is_by_position,
        truncates.topic,
        truncates.partition,
        truncates.change_id,
        min(truncates.place) as place,
        max(greatest(truncates.append_number, targets.spelled_since)) as append_number,
        bool_or(targets.may_stop or truncates.has_log_position) as may_stop
    from truncates
    inner join targets on truncates.named_table <=> targets.named_table
    group by
        targets.source_table, targets.applies, truncates.is_by_position, truncates.topic, truncates.partition,
        truncates.offset, truncates.change_id
),

-- The newest truncate of a table (without a sequence: of a partition) covers all older ones.
by_partition as (
    select
        source_table,
        applies,
        struct(
            is_by_position, topic, partition, max(place.change_order) as change_order, max(place.event_at) as event_at
        ) as newest,
        collect_list(struct(is_by_position, place.change_order, place.event_at, change_id)) as truncates,
        max(append_number) as append_number,
        bool_or(may_stop) as may_stop
    from placed
    group by source_table, applies, is_by_position, topic, partition
)

select
    source_table.*,
    collect_list(newest) filter (where applies) as newest_truncates,
    flatten(collect_list(truncates) filter (where applies)) as truncates,
    bool_or(may_stop) as may_stop,
    max(append_number) as append_number
from by_partition
group by source_table
