{%- set now = "timestamp '" ~ var('as_of') ~ "'" if var('as_of', none) else 'current_timestamp()' -%}
-- A silent partition holds its source back, because its messages may still arrive. Marks of transactions and schema
-- changes contain a time as well as changes and heartbeats. A file is complete: it never holds its source back.
with partitions as (
    select
        source_name,
        topic,
        partition,
        max(landed_at) as last_landed_at,
        max(if(outcome in ('change', 'duplicate'), event_at, null)) as last_change_at,
        max(if(control_kind = 'heartbeat', greatest(event_at, checkpoint_at), null)) as last_heartbeat_at,
        greatest(last_change_at, last_heartbeat_at, max(if(outcome = 'control', event_at, null))) as reached_at
    from {{ ref('events') }}
    group by source_name, topic, partition
),

progress as (
    select
        partitions.source_name,
        count(*) as partitions,
        max(partitions.last_landed_at) as last_landed_at,
        max(partitions.last_change_at) as last_change_at,
        max(partitions.last_heartbeat_at) as last_heartbeat_at,
        coalesce( -- A null sorts first in a struct: without any time, the progress of a partition is unknown.
            min(if(files.topic is null, struct(partitions.reached_at), null)), max(struct(partitions.reached_at))
        ).reached_at as complete_up_to
    from partitions
    left join {{ ref('stg_landing__file_partitions') }} as files
        on partitions.source_name = files.source_name and partitions.topic = files.topic
            and partitions.partition = files.partition
    group by partitions.source_name
)

select
    cdc_sources.source_name,
    cdc_sources.format,
    coalesce(progress.partitions, 0) as partitions,
    progress.last_landed_at,
    progress.last_change_at,
    progress.last_heartbeat_at,
    progress.complete_up_to,
    unix_seconds({{ now }}) - unix_seconds(progress.complete_up_to) as lag_seconds,
    case
        when progress.last_landed_at is null then 'never seen'
        when progress.last_landed_at < {{ now }} - interval '{{ var('silent_after_minutes') }}' minute then 'silent'
        when coalesce(progress.last_change_at < progress.last_heartbeat_at, progress.last_change_at is null) then 'idle'
        else 'active'
    end as state
from {{ ref('cdc_sources') }} as cdc_sources
left join progress on cdc_sources.source_name = progress.source_name
