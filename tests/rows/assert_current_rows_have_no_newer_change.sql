-- The fold, checked without its own code: no keyed change in the changelog is newer than the state of its row.
with changes as (
    select
        *,
        {{ row_id(row_name()) }} as row_id
    from {{ ref('events') }}
    where outcome = 'change' and row_key is not null and change_type <> 'truncate'
)

select
    changes.change_id,
    changes.row_key,
    changes.change_order,
    row_states.change_order as folded_order
from changes
left outer join {{ ref('row_states') }} as row_states on changes.row_id = row_states.row_id
where
    row_states.row_id is null
    -- Position does not compare over partitions, so formats without a sequence are not checked further.
    -- Where changes say what they started from, that goes before the serial.
    or (
        changes.change_order.sequence is not null
        and struct(
            changes.change_order.phase,
            changes.change_order.sequence,
            if(changes.before_hash is null, changes.change_order.serial, null),
            changes.change_order.image_rank
        ) > struct(
            row_states.change_order.phase,
            row_states.change_order.sequence,
            if(changes.before_hash is null, row_states.change_order.serial, null),
            row_states.change_order.image_rank
        )
    )
