select
    row_states.source_name,
    row_states.format,
    row_states.database_name,
    row_states.schema_name,
    row_states.table_name,
    row_states.row_key,
    row_states.row_image,
    row_states.last_change_id,
    row_states.last_change_type,
    row_states.sequence_number,
    row_states.event_at,
    row_states.change_order
from {{ ref('row_states') }} as row_states
left anti join {{ ref('table_truncates') }} as table_truncates
    on row_states.source_name = table_truncates.source_name
        and row_states.format = table_truncates.format
        and row_states.database_name <=> table_truncates.database_name
        and row_states.schema_name <=> table_truncates.schema_name
        and row_states.table_name <=> table_truncates.table_name
        and {{ is_emptied('row_states', 'table_truncates') }}
where not row_states.is_deleted
