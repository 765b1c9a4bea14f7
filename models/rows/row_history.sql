select
    source_name,
    format,
    database_name,
    schema_name,
    table_name,
    row_key,
    if(change.change_type = 'update_preimage', change.row_image, coalesce(image, change.row_image)) as row_image,
    change.change_id as last_change_id,
    change.change_type as last_change_type,
    change.sequence_number,
    change.event_at,
    change.change_order,
    change.change_order as valid_from_order,
    valid_to_order,
    valid_from,
    valid_to,
    valid_to_order is null and not is_deleted as is_current,
    is_deleted
from {{ ref('int_row_versions') }}
where decided_by is not null
