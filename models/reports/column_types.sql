with layouts as (
    select
        *,
        struct(source_name, format, database_name, schema_name, table_name) as source_table
    from {{ ref('seen_layouts') }}
),

-- Once a message contains the type of a column, messages without it add nothing.
columns as (
    select
        layouts.*,
        column_name,
        source_type,
        bool_or(source_type is not null) over (partition by source_table, column_name) as is_typed
    from layouts
        lateral view explode({{ layout_columns('layout', 'has_types') }}) exploded as column_name, source_type
)

select
    source_table.*,
    column_name,
    source_type,
    min(first_order).change_order as first_change_order,
    max(last_order).change_order as last_change_order,
    min(first_landed_at) as first_landed_at,
    max(last_landed_at) as last_landed_at,
    sum(change_count) as change_count
from columns
where source_type is not null or not is_typed
group by source_table, column_name, source_type
