-- The manifest counts the events and first events of every append, batch and source table as events has them. Newer
-- appends are left to the build that records them.
with counted as (
    select
        append_number,
        batch_id,
        format,
        source_name,
        database_name,
        schema_name,
        table_name,
        count(*) as events_found,
        count_if(event_index = 0) as messages_found
    from {{ ref('events') }}
    where append_number <= (select max(recorded.append_number) from {{ ref('appends') }} as recorded)
    group by append_number, batch_id, format, source_name, database_name, schema_name, table_name
)

select
    coalesce(appends.append_number, counted.append_number) as append_number,
    coalesce(appends.batch_id, counted.batch_id) as batch_id,
    coalesce(appends.source_name, counted.source_name) as source_name,
    coalesce(appends.table_name, counted.table_name) as table_name,
    appends.events as events_recorded,
    counted.events_found,
    appends.messages_read,
    counted.messages_found
from {{ ref('appends') }} as appends
full outer join counted
    on appends.append_number = counted.append_number
        and appends.batch_id <=> counted.batch_id
        and {{ is_same_table('appends', 'counted') }}
where coalesce(appends.events, 0) <> coalesce(counted.events_found, 0)
    or coalesce(appends.messages_read, 0) <> coalesce(counted.messages_found, 0)
