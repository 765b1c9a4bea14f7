-- Changes of key whose message tells a part of the row only: both halves are events of one message, one behind the
-- other.
select
    after.row_id,
    after.source_name,
    after.format,
    after.database_name,
    after.schema_name,
    after.table_name,
    after.row_key,
    before.row_id as old_row_id,
    before.row_key as old_row_key,
    before.change_id as old_change_id,
    after.change_order,
    after.change_id,
    after.row_image as sent_image,
    after.sequence_number,
    after.event_at,
    after.is_soft_deleted,
    after.appended_at,
    before.appended_at as old_appended_at
from {{ ref('int_sent_changes') }} as after
inner join {{ ref('int_sent_changes') }} as before
    on after.batch_id = before.batch_id
        and after.change_order.topic <=> before.change_order.topic
        and after.change_order.partition <=> before.change_order.partition
        and after.change_order.offset <=> before.change_order.offset
        and after.change_order.event_index = before.change_order.event_index + 1
        and {{ is_same_table('after', 'before') }}
        and after.row_id <> before.row_id
where after.change_type = 'update_postimage'
    and after.image_scope = 'partial'
    and before.change_type = 'update_preimage'
