-- Copies of one truncate stand at several positions: the first position is its own.
with truncates as (
    select
        source_name,
        format,
        database_name,
        schema_name,
        table_name,
        change_id,
        min(change_order) as change_order
    from {{ ref('events') }}
    where outcome in ('change', 'duplicate') and change_type = 'truncate'
    group by source_name, format, database_name, schema_name, table_name, change_id
)

select
    source_name,
    format,
    database_name,
    schema_name,
    table_name,
    max(change_order) as change_order
from truncates
group by source_name, format, database_name, schema_name, table_name
