select
    source_name,
    format,
    database_name,
    schema_name,
    table_name,
    row_key,
    row_image,
    last_change_id,
    last_change_type,
    sequence_number,
    event_at,
    change_order,
    changed_at
from {{ ref('row_states') }}
where not is_deleted
