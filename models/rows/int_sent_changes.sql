-- The changes of rows as their messages tell them; copies too, for a copy may be the first that arrived.
select
    -- A delete without a value may know the key of its event only, so that names the row where there is one.
    coalesce(event_key, row_key) as named_by,
    -- 128 bits: every merge reads them of all rows, and no two of 10^12 rows are likely to share them.
    unhex(left(sha2(to_json(struct(
        source_name, format, database_name, schema_name, table_name, named_by as row_key
    )), 256), 32)) as row_id,
    source_name,
    format,
    database_name,
    schema_name,
    table_name,
    row_key,
    change_order,
    change_id,
    change_type,
    fold_scope as image_scope,
    row_image,
    sequence_number,
    event_at,
    before_hash,
    is_soft_deleted,
    is_ordered_by_position,
    batch_id,
    appended_at
from {{ ref('events') }}
where outcome in ('change', 'duplicate')
    and row_key is not null
    and change_type <> 'truncate'
