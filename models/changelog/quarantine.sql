select
    source_name,
    format,
    topic,
    partition,
    offset,
    event_index,
    landed_at,
    batch_id,
    reason_code,
    reason_detail,
    -- Spark's base64 adds MIME line breaks; a single line can be pasted.
    if(reason_code = 'value_too_large', null, {{ base64_text('unread_value') }}) as value
from {{ ref('events') }}
where outcome = 'quarantined'
