select
    source_name,
    format,
    count_if(event_index = 0) as messages,
    count_if(outcome = 'change') as changes,
    count_if(outcome = 'control') as control_events,
    count_if(outcome = 'duplicate') as duplicates,
    count_if(outcome = 'quarantined') as quarantined,
    max(landed_at) as last_landed_at
from {{ ref('events') }}
group by source_name, format
