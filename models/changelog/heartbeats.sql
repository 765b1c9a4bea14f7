select
    source_name,
    format,
    event_at,
    emitted_at,
    checkpoint_at,
    topic,
    partition,
    offset,
    event_index,
    landed_at,
    batch_id
from {{ ref('events') }}
where outcome = 'control' and control_kind = 'heartbeat'
