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
left join {{ ref('table_truncates') }} as table_truncates
    on {{ is_same_table('row_states', 'table_truncates') }}
where {{ is_live('row_states', 'table_truncates.newest_truncates') }}
