-- Row changes as sent; duplicates too, because a duplicate may be the copy that arrived first.
select
    -- A delete without a value has only the key of its event, so the event key identifies the row if there is one.
    -- 128 bits: every merge reads them for all rows, and a collision among 10^12 rows is unlikely.
    unhex(left(sha2(to_json(struct(
        source_name, format, database_name, schema_name, table_name, coalesce(event_key, row_key) as row_key
    )), 256), 32)) as row_id,
    source_name,
    format,
    database_name,
    schema_name,
    table_name,
    row_key,
    batch_id,
    struct(
        change_order, change_id, change_type, fold_scope as image_scope, row_image, sequence_number, event_at,
        before_hash, is_soft_deleted
    ) as change,
    is_ordered_by_position,
    append_number
from {{ ref('events') }}
where outcome in ('change', 'duplicate') and change_type <> 'truncate' and row_key is not null
    and not fold_scope <=> 'copy'
