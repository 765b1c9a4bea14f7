-- Conservation: per batch and place, as many first events as messages, and no event without its message.
with batches as (
    select batch_id
    from {{ source('landing', 'messages') }}
    group by batch_id
    -- What landed before the run must have been read; in a standalone test, what landed before the last append, because
    -- landing continues between builds. The file's own time, not landed_at: a long batch gets that before it commits.
    having max(_metadata.file_modification_time) < {{
        "timestamp '" ~ run_started_at.strftime('%Y-%m-%d %H:%M:%S.%f') ~ "+00:00'" if flags.WHICH == 'build'
        else '(select max(appended_at) from ' ~ ref('events') ~ ')'
    }}
),

messages as (
    select
        source_name,
        batch_id,
        topic,
        partition,
        offset,
        count(*) as messages_landed
    from {{ source('landing', 'messages') }}
    where batch_id is null or batch_id in (select batches.batch_id from batches)
    group by source_name, batch_id, topic, partition, offset
),

first_events as (
    select
        source_name,
        batch_id,
        topic,
        partition,
        offset,
        count_if(event_index = 0) as first_events
    from {{ ref('events') }}
    where batch_id is null or batch_id in (select batches.batch_id from batches)
    group by source_name, batch_id, topic, partition, offset
)

select
    coalesce(messages.source_name, first_events.source_name) as source_name,
    coalesce(messages.batch_id, first_events.batch_id) as batch_id,
    coalesce(messages.topic, first_events.topic) as topic,
    coalesce(messages.partition, first_events.partition) as partition,
    coalesce(messages.offset, first_events.offset) as offset,
    coalesce(messages.messages_landed, 0) as messages_landed,
    coalesce(first_events.first_events, 0) as first_events
from messages
full outer join first_events
    on {{ is_same_message('messages', 'first_events') | indent(8) }}
where not messages.messages_landed <=> first_events.first_events
