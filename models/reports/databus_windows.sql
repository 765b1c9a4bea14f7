-- The first copy of each event by position, because the result must not depend on which copy landed first.
with first_copies as (
    select
        min_by(
            struct(
                struct(source_name, format, topic, partition) as stream,
                struct(offset, event_index) as position,
                sequence_number,
                source_operation,
                control_kind is null as is_row,
                -- Some control events name no physical partition: -1, or absent in the JSON of an old relay.
                nullif(try_cast(source_metadata['physical_partition'] as int), -1) as physical_partition,
                source_metadata['control_value'] as control_value
            ),
            struct(topic, partition, offset, event_index)
        ) as event
    from {{ ref('events') }}
    where startswith(format, 'databus_') and outcome <> 'quarantined'
    group by change_id
),

members as (
    select
        event.*,
        -- An end of period without a partition closes each window of its sequence.
        if(
            event.is_row or event.physical_partition is not null,
            array(event.physical_partition),
            collect_set(event.physical_partition) over (partition by event.stream, event.sequence_number)
        ) as window_partitions
    from first_copies
    where event.sequence_number is not null and (event.is_row or event.source_operation = 'END_OF_PERIOD')
),

windows as (
    select
        stream,
        window_partition as physical_partition,
        sequence_number,
        count_if(is_row) as event_count,
        min(position) as first_position,
        max(position) as last_position,
        not bool_and(is_row) as has_end_of_period
    from members
        lateral view outer explode(window_partitions) exploded as window_partition
    group by stream, sequence_number, window_partition
),

checkpoints as (
    select distinct
        event.stream,
        try_cast(get_json_object(event.control_value, '$.windowScn') as decimal(38, 0)) as sequence_number,
        try_cast(get_json_object(event.control_value, '$.prevScn') as decimal(38, 0)) as previous_sequence
    from first_copies
    where event.source_operation = 'CHECKPOINT'
),

-- The windows whose predecessor is missing; -1 means that there was none.
gaps as (
    select distinct windows.*
    from windows
    inner join checkpoints
        on windows.stream = checkpoints.stream and windows.sequence_number = checkpoints.sequence_number
    left anti join windows as previous
        on checkpoints.previous_sequence = previous.sequence_number and windows.stream = previous.stream
            and (windows.physical_partition <=> previous.physical_partition or previous.physical_partition is null)
    where checkpoints.previous_sequence <> -1
)

select
    windows.stream.*,
    windows.* except (stream),
    case
        when windows.has_end_of_period then 'closed'
        when windows.sequence_number < max(windows.sequence_number) over in_partition then 'missing_end_of_period'
        else 'open'
    end as window_state,
    coalesce(max(windows.sequence_number) over before_it > windows.sequence_number, false) as is_regressed,
    coalesce(
        max(windows.last_position) over before_it > windows.first_position
        or min(windows.first_position) over after_it < windows.last_position,
        false
    ) as is_overlapping,
    gaps.stream is not null as is_gap_before
from windows
left join gaps
    on windows.stream = gaps.stream and windows.physical_partition <=> gaps.physical_partition
        and windows.sequence_number = gaps.sequence_number
window
    in_partition as (partition by windows.stream, windows.physical_partition),
    before_it as (
        partition by windows.stream, windows.physical_partition order by windows.first_position
        rows between unbounded preceding and 1 preceding
    ),
    after_it as (
        partition by windows.stream, windows.physical_partition order by windows.first_position
        rows between 1 following and unbounded following
    )
