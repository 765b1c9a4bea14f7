-- Each change of each row with what the fold made of it, by the rules of the fold themselves.
with changes as (
    {{ with_key_moves('(' ~ row_changes() ~ ')') }}
),

placed as (
    {{ row_steps('changes') }}
),

compared as (
    select
        *,
        lag(change) over (partition by row_id, source_name, table_name order by place) as previous
    from placed
),

counted as (
    select
        *,
        {{ decided_by('change', 'previous') | indent(8) }} as decided_by,
        -- A soft delete may be one.
        if(change.change_type = 'update_postimage' or change.is_soft_deleted, place, null) as postimage,
        max(place) over (partition by row_id, source_name, table_name) as last_place
    from compared
),

deliveries as (
    select
        row_id,
        source_name,
        format,
        database_name,
        schema_name,
        table_name,
        min_by(change, change.change_order) as change,
        count(*) - 1 as copies
    from changes
    group by row_id, source_name, format, database_name, schema_name, table_name, change.change_id
),

-- A preimage that removes nothing stands with its postimage: the next one of its message, else that of its order.
numbered as (
    select
        deliveries.*,
        counted.* except (row_id, source_name, format, database_name, schema_name, table_name, row_key, change),
        max(counted.row_key) over row_window as row_key,
        first_value(counted.postimage) ignore nulls over (
            partition by
                deliveries.row_id, deliveries.source_name, deliveries.table_name,
                deliveries.change.change_order.topic, deliveries.change.change_order.partition,
                deliveries.change.change_order.offset
            order by deliveries.change.change_order.event_index
            rows between current row and unbounded following
        ) as place_in_message
    from deliveries
    left join counted
        on deliveries.source_name = counted.source_name
            and deliveries.table_name = counted.table_name
            and deliveries.row_id = counted.row_id
            and deliveries.change.change_id = counted.change.change_id
    window row_window as (partition by deliveries.row_id, deliveries.source_name, deliveries.table_name)
),

truncated as (
    {{ with_truncates('numbered') }}
),

lived as (
    select
        *,
        {{ lived_until('change', 'steps', 'truncates') }} as live_steps
    from truncated
)

select
    row_id,
    source_name,
    format,
    database_name,
    schema_name,
    table_name,
    row_key,
    coalesce(place, place_in_message, max(postimage) over order_window) + 1 as change_number,
    case
        when place is null and place_in_message is not null then 'preimage of its message'
        when place is null then 'preimage of its order'
        when place = last_place then 'newest'
        when array_contains(max(if(place = last_place, live_steps.change_id, null)) over row_window, change.change_id)
            then 'shows through'
        else 'superseded'
    end as part,
    decided_by,
    change.* except (before_hash),
    copies,
    is_deleted,
    if(is_deleted, null, coalesce(
        overlay_images(if(size(live_steps) > 1, live_steps.row_image, null)), get(live_steps, 0).row_image
    )) as folded_image,
    if(
        place is null, null, not is_deleted and first_scope in ('full', 'given') and size(live_steps) = size(steps)
    ) as is_image_whole,
    filter(truncates, truncate -> {{ is_emptied('change', 'truncate') }}).change_id as truncates_behind
from lived
window
    row_window as (partition by row_id, source_name, table_name),
    order_window as (
        partition by
            row_id, source_name, table_name,
            change.change_order.phase, change.change_order.sequence, change.change_order.serial
    )
