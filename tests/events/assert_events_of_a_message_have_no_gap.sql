-- Events of a message are numbered 0, 1, 2: there are at least as many events with number n - 1 as with number n.
with numbered as (
    select
        source_name,
        batch_id,
        topic,
        partition,
        offset,
        event_index,
        count(*) as events_found
    from {{ ref('events') }}
    group by source_name, batch_id, topic, partition, offset, event_index
),

compared as (
    select
        *,
        lag(event_index) over place as previous_index,
        lag(events_found) over place as previous_found
    from numbered
    window place as (partition by source_name, batch_id, topic, partition, offset order by event_index)
)

select *
from compared
where event_index > 0
    and (previous_index is null or previous_index <> event_index - 1 or previous_found < events_found)
