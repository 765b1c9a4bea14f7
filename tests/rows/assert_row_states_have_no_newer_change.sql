-- No change of a row is ordered after its state; checked without the fold.
select
    changes.change.change_id,
    changes.row_key,
    changes.change.change_order,
    row_states.change_order as folded_order
from {{ ref('int_sent_changes') }} as changes
left outer join {{ ref('row_states') }} as row_states on changes.row_id = row_states.row_id
where
    row_states.row_id is null
    -- Position does not compare over partitions, so changes without a sequence are not checked further. Where changes
    -- contain their before image, the chain of images takes precedence over the serial and the image.
    or (
        changes.change.change_order.sequence is not null
        and struct(
            changes.change.change_order.phase,
            changes.change.change_order.sequence,
            if(changes.change.before_hash is null, changes.change.change_order.serial, null),
            if(changes.change.before_hash is null, changes.change.change_order.image_rank, null)
        ) > struct(
            row_states.change_order.phase,
            row_states.change_order.sequence,
            if(changes.change.before_hash is null, row_states.change_order.serial, null),
            if(changes.change.before_hash is null, row_states.change_order.image_rank, null)
        )
    )
