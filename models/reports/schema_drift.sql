with layouts as (
    select
        *,
        bool_or(has_types) over (
            partition by source_name, format, database_name, schema_name, table_name
        ) as is_typed_table
    from {{ ref('int_column_layouts') }}
    where outcome = 'change'
),

-- A partial image proves nothing about other columns; once messages of a table contain types, only those count.
compared as (
    select
        *,
        lag(layout) over (
            partition by source_name, format, database_name, schema_name, table_name order by layout_order
        ) as layout_before
    from layouts
    where has_types = is_typed_table and image_scope = 'full'
),

changed as (
    select
        *,
        from_json(layout_before, 'map<string, string>') as columns_before,
        from_json(layout, 'map<string, string>') as columns_after
    from compared
    where layout <> layout_before
),

-- Without types a row may omit columns without a value, so a column is new once and is never removed.
judged as (
    select
        changed.*,
        column_name,
        columns_before[column_name] as type_before,
        columns_after[column_name] as type_after,
        case
            when map_contains_key(columns_before, column_name) and map_contains_key(columns_after, column_name)
                then type_change(type_before, type_after)
            when map_contains_key(columns_before, column_name) then if(has_types, 'removed', null)
            when has_types or row_number() over (
                    partition by source_name, format, database_name, schema_name, table_name, column_name
                    order by layout_order
                ) = 1 then 'new_column'
        end as change_kind
    from changed
        lateral view explode(array_union(map_keys(columns_before), map_keys(columns_after))) exploded as column_name
)

select
    source_name,
    format,
    database_name,
    schema_name,
    table_name,
    column_name,
    change_kind,
    type_before,
    type_after,
    layout_order.change_order,
    landed_at
from judged
where change_kind is not null
