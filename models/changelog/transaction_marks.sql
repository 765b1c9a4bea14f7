select
    source_name,
    format,
    -- TRANSACTION_BEGIN and _END, BEGIN, END, XACOMMIT, XAROLLBACK, GTID; of Databus END_OF_PERIOD, CHECKPOINT,
    -- SCN_REGRESS, ERROR, CONTROL.
    lower(regexp_replace(source_operation, '^(TRANSACTION_|XA)', '')) as mark_kind,
    source_operation,
    transaction_id,
    sequence_number,
    event_at,
    emitted_at,
    checkpoint_at,
    change_order,
    topic,
    partition,
    offset,
    event_index,
    landed_at,
    batch_id,
    source_metadata
from {{ ref('events') }}
where outcome = 'control' and control_kind = 'transaction_mark'
