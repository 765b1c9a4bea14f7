select
    source_name,
    format,
    case source_operation
        when 'TRANSACTION_BEGIN' then 'begin'
        when 'BEGIN' then 'begin'
        when 'TRANSACTION_END' then 'end'
        when 'END' then 'end'
        when 'XACOMMIT' then 'commit'
        when 'XAROLLBACK' then 'rollback'
        when 'GTID' then 'gtid'
        when 'END_OF_PERIOD' then 'end_of_period'
        when 'CHECKPOINT' then 'checkpoint'
        when 'SCN_REGRESS' then 'scn_regress'
        when 'ERROR' then 'error'
        when 'CONTROL' then 'control'
    end as mark_kind,
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
