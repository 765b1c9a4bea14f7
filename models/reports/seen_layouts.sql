select * except (layout_id, append_number) from {{ ref('table_layouts') }}
union all
-- Changes that table_layouts has not read yet, because a build can leave it out.
select
    source_name,
    format,
    database_name,
    schema_name,
    table_name,
    has_types,
    layout,
    key_columns,
    if(key_columns is null, null, layout_order) as key_order,
    layout_order as first_order,
    layout_order as last_order,
    landed_at as first_landed_at,
    landed_at as last_landed_at,
    1 as change_count
from {{ ref('column_layouts') }}
where append_number > coalesce((select max(stored.append_number) from {{ ref('table_layouts') }} as stored), 0)
