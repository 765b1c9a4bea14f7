select
    source_name,
    format,
    database_name,
    schema_name,
    table_name,
    max(change_order) as change_order
from {{ ref('events') }}
where outcome in ('change', 'duplicate') and change_type = 'truncate'
group by source_name, format, database_name, schema_name, table_name
