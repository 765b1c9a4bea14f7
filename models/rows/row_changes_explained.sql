-- Each change of each row with what the fold made of it, by the rules of the fold themselves.
with changes as (
    {{ with_key_moves('(' ~ row_changes() ~ ')') }}
),

ordered as (
    {{ ordered_changes('changes') }}
),

folded as (
    {{ changes_by_row('ordered') }}
),

table_truncates as (
    {{ truncates_by_table() }}
),

placed as (
    select
        * except (changes, is_spread, appended_at),
        {{ is_removal('change') }} as is_deleted,
        lag(change) over row_window as previous,
        -- As in row_history: a full image or a removal starts anew.
        count_if({{ is_removal('change') }} or {{ starts_anew('change') }}) over row_window as start_number
    from folded
        lateral view posexplode(changes) exploded as place, change
    window row_window as (partition by source_name, table_name, row_id order by place)
),

counted as (
    select
        *,
        {{ decided_by('change', 'previous') }} as decided_by,
        if(change.change_type = 'update_postimage', place, null) as postimage,
        max(start_number) over row_window as last_start,
        max(place) over row_window as last_place,
        first_value(change.image_scope) over image_window = 'full'
        and not first_value(is_deleted) over image_window as is_image_whole,
        collect_list(if(is_deleted, null, change.row_image)) over image_window as images
    from placed
    window
        row_window as (partition by source_name, table_name, row_id),
        image_window as (partition by source_name, table_name, row_id, start_number order by place)
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
                deliveries.source_name, deliveries.table_name, deliveries.row_id,
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
    window row_window as (partition by deliveries.source_name, deliveries.table_name, deliveries.row_id)
)

select
    numbered.row_id,
    numbered.source_name,
    numbered.format,
    numbered.database_name,
    numbered.schema_name,
    numbered.table_name,
    numbered.row_key,
    coalesce(numbered.place, numbered.place_in_message, max(numbered.postimage) over order_window) + 1 as change_number,
    case
        when numbered.place is null and numbered.place_in_message is not null then 'preimage of its message'
        when numbered.place is null then 'preimage of its order'
        when numbered.place = numbered.last_place then 'newest'
        when numbered.start_number = numbered.last_start then 'shows through'
        else 'superseded'
    end as part,
    numbered.decided_by,
    numbered.change.* except (before_hash),
    numbered.copies,
    numbered.is_deleted,
    if(numbered.is_deleted, null, coalesce(
        overlay_images(if(size(numbered.images) > 1, numbered.images, null)), get(numbered.images, 0)
    )) as folded_image,
    numbered.is_image_whole,
    filter(table_truncates.truncates, truncate -> {{ is_emptied('numbered.change', 'truncate') }}).change_id
        as truncates_behind
from numbered
left join table_truncates
    on numbered.source_name = table_truncates.source_name
        and numbered.format = table_truncates.format
        and numbered.database_name <=> table_truncates.database_name
        and numbered.schema_name <=> table_truncates.schema_name
        and numbered.table_name <=> table_truncates.table_name
window order_window as (
    partition by
        numbered.source_name, numbered.table_name, numbered.row_id,
        numbered.change.change_order.phase, numbered.change.change_order.sequence, numbered.change.change_order.serial
)
