select
    sent.* except (batch_id, change, append_number),
    if(
        carried.row_id is null,
        sent.change,
        struct(
            sent.change.change_order, sent.change.change_id, sent.change.change_type, carried.change.image_scope,
            carried.change.row_image, sent.change.sequence_number, sent.change.event_at, sent.change.before_hash,
            carried.change.is_soft_deleted
        )
    ) as change
from {{ ref('int_sent_changes') }} as sent
left join {{ ref('int_carried_rows') }} as carried
    on sent.change.change_id = carried.change.change_id
        -- Functionally dependent on the change; joined too, so that a query for one table computes no other table.
        and sent.source_name = carried.source_name and sent.table_name = carried.table_name
