-- Every version of every row, in the order of the source; a late change takes its place among the others.
with changes as (
    {{ with_key_moves('(' ~ row_changes() ~ ')') }}
),

ordered as (
    {{ ordered_changes('changes') }}
),

folded as (
    {{ changes_by_row('ordered') }}
),

truncates_by_table as (
    {{ truncates_by_table() }}
),

with_truncates as (
    select
        folded.*,
        truncates_by_table.truncates
    from folded
    left join truncates_by_table
        on folded.source_name = truncates_by_table.source_name
            and folded.format = truncates_by_table.format
            and folded.database_name <=> truncates_by_table.database_name
            and folded.schema_name <=> truncates_by_table.schema_name
            and folded.table_name <=> truncates_by_table.table_name
),

exploded as (
    select
        * except (changes),
        {{ is_removal('change') }} as is_deleted
    from with_truncates
        lateral view posexplode(changes) exploded as place, change
),

-- A full image or a removal starts anew; partial images lie on what came since. Time never goes back along the order,
-- so that each moment belongs to one version.
placed as (
    select
        *,
        count_if(is_deleted or {{ starts_anew('change') }}) over row_window as start_number,
        max(change.event_at) over row_window as valid_from
    from exploded
    window row_window as (partition by source_name, table_name, row_id order by place)
),

versions as (
    select
        *,
        collect_list(if(is_deleted, null, change.row_image)) over (
            partition by source_name, table_name, row_id, start_number order by place
        ) as images,
        lead(place) over row_window is null as is_newest,
        lead(valid_from) over row_window as next_from,
        filter(truncates, truncate -> {{ is_emptied('change', 'truncate') }}) as later_truncates
    from placed
    window row_window as (partition by source_name, table_name, row_id order by place)
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
    valid_from,
    -- The next change or the first truncate behind this one, whichever comes first.
    least(
        next_from, array_min(transform(later_truncates, truncate -> greatest(truncate.event_at, valid_from)))
    ) as valid_to,
    is_newest and coalesce(size(later_truncates), 0) = 0 as is_current,
    is_deleted
from versions
