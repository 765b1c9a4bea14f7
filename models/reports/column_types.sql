with layouts as (
    select
        source_name,
        format,
        database_name,
        schema_name,
        table_name,
        has_types,
        layout,
        min(layout_order) as first_order,
        max(layout_order) as last_order,
        min(landed_at) as first_landed_at,
        max(landed_at) as last_landed_at,
        count(*) as change_count
    from {{ ref('column_layouts') }}
    group by source_name, format, database_name, schema_name, table_name, has_types, layout
),

columns as (
    select
        layouts.*,
        column_name,
        source_type
    from layouts
        lateral view explode({{ layout_columns('layout', 'has_types') }}) exploded as column_name, source_type
),

-- Once a message tells the type of a column, those that do not tell it add nothing.
judged as (
    select
        *,
        bool_or(source_type is not null) over (
            partition by source_name, format, database_name, schema_name, table_name, column_name
        ) as is_typed
    from columns
)

select
    source_name,
    format,
    database_name,
    schema_name,
    table_name,
    column_name,
    source_type,
    min(first_order).change_order as first_change_order,
    max(last_order).change_order as last_change_order,
    min(first_landed_at) as first_landed_at,
    max(last_landed_at) as last_landed_at,
    sum(change_count) as change_count
from judged
where source_type is not null or not is_typed
group by source_name, format, database_name, schema_name, table_name, column_name, source_type
