{{ config(
    severity=var('invariant_severity', 'error'),
    error_if='> ' ~ var('assert_sequences_have_their_shape_limit', 0),
    warn_if='> ' ~ var('assert_sequences_have_their_shape_limit', 0),
) }}

-- The form of each format's numbers; a number of another form sorts wrongly against the others, without an error.
select
    source_name,
    format,
    sequence_number,
    event_at,
    change_id
from {{ ref('events') }}
where outcome in ('change', 'control')
    and source_name in {{ judged_sources() }}
    and sequence_number is not null
    and case
        -- 13 digits of milliseconds and a counter of six.
        when startswith(format, 'datahub_') then length(cast(sequence_number as string)) <> 19
        -- The time of the change is the prefix; a number without it is read as the serial of its second.
        when startswith(format, 'oms_default')
            then not is_snapshot and change_order.serial <=> sequence_number
        when startswith(format, 'lindorm_') then length(cast(sequence_number as string)) <> 13
        when startswith(format, 'databus_')
            then not sequence_number between -9223372036854775808 and 9223372036854775807
        else false
    end
