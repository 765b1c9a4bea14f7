-- Partial primary-key updates: their message lacks columns of the row. Both halves are adjacent events of one message.
select
    after.*,
    before.row_id as old_row_id,
    before.change.change_id as old_change_id,
    before.append_number as old_append_number
from {{ ref('int_sent_changes') }} as after
inner join {{ ref('int_sent_changes') }} as before
    on after.batch_id = before.batch_id
        and after.change.change_order.topic <=> before.change.change_order.topic
        and after.change.change_order.partition <=> before.change.change_order.partition
        and after.change.change_order.offset <=> before.change.change_order.offset
        and after.change.change_order.event_index = before.change.change_order.event_index + 1
        and {{ is_same_table('after', 'before') }}
        and after.row_id <> before.row_id
where (after.change.change_type = 'update_postimage' or after.change.is_soft_deleted)
    and after.change.image_scope = 'partial'
    and before.change.change_type = 'update_preimage'
