{{ config(
    severity=var('invariant_severity', 'error'),
    error_if='> ' ~ var('assert_times_are_plausible_limit', 0),
    warn_if='> ' ~ var('assert_times_are_plausible_limit', 0),
) }}

-- A change cannot land a day before it happened: its time is in another unit or time zone, or a clock is wrong.
select
    source_name,
    format,
    event_at,
    emitted_at,
    landed_at,
    change_id
from {{ ref('events') }}
where outcome in ('change', 'control')
    and source_name in {{ judged_sources() }}
    and greatest(event_at, emitted_at) > landed_at + interval 1 day
