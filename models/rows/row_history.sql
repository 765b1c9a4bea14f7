-- Every version of every row, in the order of the source; a late change takes its place among the others.
with changes as (
    {{ with_key_moves('(' ~ row_changes() ~ ')') }}
),

placed as (
    {{ row_steps('changes') }}
),

with_truncates as (
    {{ with_truncates('placed') }}
),

-- Time never goes back along the order, so that each moment belongs to one version.
timed as (
    select
        *,
        {{ lived_until('change', 'steps', 'truncates') }} as live_steps,
        max(change.event_at) over row_window as valid_from
    from with_truncates
    window row_window as (partition by row_id, source_name, table_name order by place)
),

versions as (
    select
        *,
        transform(live_steps, step -> step.row_image) as images,
        lead(place) over row_window is null as is_newest,
        lead(valid_from) over row_window as next_from,
        lead(change.change_order) over row_window as next_order,
        filter(truncates, truncate -> {{ is_emptied('change', 'truncate') }}) as later_truncates
    from timed
    window row_window as (partition by row_id, source_name, table_name order by place)
)

select
    source_name,
    format,
    database_name,
    schema_name,
    table_name,
    row_key,
    coalesce(overlay_images(if(size(images) > 1, images, null)), get(images, 0), change.row_image) as row_image,
    change.change_id as last_change_id,
    change.change_type as last_change_type,
    change.sequence_number,
    change.event_at,
    change.change_order,
    change.change_order as valid_from_order,
    least(next_order, array_min(transform(later_truncates, truncate -> truncate.change_order))) as valid_to_order,
    valid_from,
    -- The next change or the first truncate behind this one, whichever comes first.
    least(
        next_from, array_min(transform(later_truncates, truncate -> greatest(truncate.event_at, valid_from)))
    ) as valid_to,
    is_newest and coalesce(size(later_truncates), 0) = 0 as is_current,
    is_deleted
from versions
