-- No change of a row is ordered after its state; checked without the fold. Appends after the newest one of row_states
-- are left out: row_states counts them as unread, so its next build reads them.
with changes as (
    select
        *,
        change.change_order as new_order,
        change.before_hash is null as is_ranked
    from {{ ref('int_sent_changes') }}
    where append_number <= (select max(folded.append_number) from {{ ref('row_states') }} as folded)
)

select
    changes.change.change_id,
    changes.row_key,
    changes.new_order,
    row_states.change_order as folded_order
from changes
left outer join {{ ref('row_states') }} as row_states on changes.row_id = row_states.row_id
where
    row_states.row_id is null
    -- Position does not compare over partitions, so changes without a sequence are not checked further. Where changes
    -- contain their before image, the chain of images takes precedence over the serial and the image.
    or (
        changes.new_order.sequence is not null
        and struct(
            changes.new_order.phase, changes.new_order.sequence,
            if(changes.is_ranked, struct(changes.new_order.serial, changes.new_order.image_rank), null)
        ) > struct(
            row_states.change_order.phase, row_states.change_order.sequence,
            if(changes.is_ranked, struct(row_states.change_order.serial, row_states.change_order.image_rank), null)
        )
    )
