select
    change_id,
    source_name,
    format,
    database_name,
    schema_name,
    table_name,
    ddl_kind,
    ddl_text,
    ddl_meta_text,
    is_ddl_text_consistent,
    sequence_number,
    event_at,
    emitted_at,
    change_order,
    topic,
    partition,
    offset,
    event_index,
    landed_at,
    batch_id
from {{ ref('events') }}
where outcome in ('change', 'control') and ddl_kind is not null
