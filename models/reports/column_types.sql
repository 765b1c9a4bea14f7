with listed as (
    select
        struct(source_name, format, database_name, schema_name, table_name) as source_table,
        first_landed_at,
        listed_column.*
    from {{ ref('appends') }}
        lateral view explode(columns) exploded as listed_column
),

-- Once a message contains the type of a column, messages without it add nothing.
columns as (
    select
        *,
        bool_or(source_type is not null) over (partition by source_table, column_name) as is_typed
    from listed
)

select
    source_table.*,
    column_name,
    source_type,
    min(first_order) as first_order,
    min(first_landed_at) as first_landed_at,
    min(if(first_listing is null, null, struct(first_landed_at, first_listing.*))) as first_listing
from columns
where source_type is not null or not is_typed
group by source_table, column_name, source_type
