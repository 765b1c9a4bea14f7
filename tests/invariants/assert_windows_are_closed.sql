{{ config(
    severity=var('invariant_severity', 'error'),
    error_if='> ' ~ var('assert_windows_are_closed_limit', 0),
    warn_if='> ' ~ var('assert_windows_are_closed_limit', 0),
) }}

-- One end of period closes each Databus window. The newest may be open while its stream goes on, but not for long.
with last_landed as (
    select
        source_name,
        topic,
        partition,
        sequence_number,
        max(landed_at) as landed_at
    from {{ ref('events') }}
    where startswith(format, 'databus_') and outcome <> 'quarantined'
    group by source_name, topic, partition, sequence_number
)

select
    windows.source_name,
    windows.topic,
    windows.partition,
    windows.physical_partition,
    windows.sequence_number,
    windows.window_state,
    last_landed.landed_at
from {{ ref('databus_windows') }} as windows
inner join last_landed
    on windows.source_name = last_landed.source_name
        and windows.topic <=> last_landed.topic
        and windows.partition <=> last_landed.partition
        and windows.sequence_number = last_landed.sequence_number
where windows.source_name in {{ judged_sources() }}
    and (
        windows.window_state = 'missing_end_of_period'
        or (
            windows.window_state = 'open'
            and last_landed.landed_at < current_timestamp() - interval '{{ var('open_window_hours') | int }}' hour
        )
    )
