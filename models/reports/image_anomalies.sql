-- Only changes with an earlier change of their key are checked, because the row before the first one is unknown.
-- Changes after a full-load row are not checked either: it may have been read after changes that sort after it.
with changes as (
    select
        *,
        -- A soft-deleted row still exists, and the image of a soft delete shows the row after it.
        change_type in ('delete', 'update_preimage') and not coalesce(is_soft_deleted, false) as is_removal,
        max(if(startswith(role, 'preimage'), struct(row_image, image_scope), null)) over (
            partition by row_id, source_name, table_name, change_number
        ) as preimage
    from {{ ref('row_changes_explained') }}
),

followed as (
    select
        *,
        lag(struct(
            change_id, is_deleted, is_removal, folded_image, is_image_whole, later_truncates, change_order
        )) over (partition by row_id, source_name, table_name order by change_number) as previous
    from changes
    where not startswith(role, 'preimage')
),

judged as (
    select
        *,
        previous.is_removal
        or coalesce(size(array_except(previous.later_truncates, later_truncates)), 0) > 0 as is_absent,
        -- LOBs that an update does not change may be null in both images: its preimage is not the complete row then.
        if(
            is_removal,
            if(image_scope in ('full', 'given'), row_image, null),
            if(preimage.image_scope = 'full' and image_scope in ('full', 'given'), preimage.row_image, null)
        ) as before_image,
        -- The before image may lack unchanged columns too.
        coalesce(overlay_images(if(
            {{ is_format_with('format', 'leaves_out') }}, array(previous.folded_image, before_image), null
        )), before_image) as row_before,
        array_compact(array(
            if(change_type = 'insert' and not is_absent and not previous.is_deleted, 'insert_on_live_key', null),
            -- Without a preimage, an update may be half of a primary-key update, except in formats that always send
            -- pairs, and a soft delete may be an insert.
            if(
                is_absent and (
                    is_removal or preimage is not null
                    or (startswith(change_type, 'update_') and {{ is_format_with('format', 'has_pairs') }})
                ),
                if(change_type = 'delete', 'delete_of_absent_key', 'update_of_absent_key'), null
            ),
            if(
                not is_absent and previous.is_image_whole and before_image <> previous.folded_image
                and row_before <> previous.folded_image,
                'chain_break', null
            )
        )) as anomalies
    from followed
    where previous is not null and change_order.phase = 1 and previous.change_order.phase = 1
)

select
    anomaly,
    source_name,
    format,
    database_name,
    schema_name,
    table_name,
    row_key,
    change_id,
    change_type,
    sequence_number,
    event_at,
    change_order,
    before_image,
    if(is_absent, null, previous.folded_image) as folded_image,
    previous.change_id as previous_change_id
from judged
    lateral view explode(anomalies) exploded as anomaly
