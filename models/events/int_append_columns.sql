-- noqa: disable=LT02,LT09
{%- set table_of_batch = 'append_number, batch_id, format, source_name, database_name, schema_name, table_name' %}
with layouts as (
    select
        {{ table_of_batch }}, has_types, layout, layout_order.phase, map_keys(read_columns(row_key)) as key_columns,
        -- Numbers, because Spark sorts all rows to find the minimum of structs.
        min(coalesce(layout_order.sequence, unix_micros(layout_order.event_at))) as first_sequence,
        max(coalesce(layout_order.sequence, unix_micros(layout_order.event_at))) as last_sequence
    from {{ ref('int_column_layouts') }}
    group by all
),

listed as (
    select
        {{ table_of_batch }}, has_types,
        from_json(layout, 'map<string, string>') as types,
        struct(phase, first_sequence as sequence) as first_order,
        if(key_columns is null, null, struct(struct(phase, last_sequence as sequence) as last_order, key_columns))
            as newest_key
    from layouts
)

select
    {{ table_of_batch }}, column_name, source_type,
    min(first_order) as first_order,
    -- Of the messages of a batch that list types, the one with the most columns comes first.
    min(if(has_types, struct(
        -size(types) as negative_column_count, first_order, position,
        get(map_keys(types), position - 1) as previous_name
    ), null)) as first_listing,
    max(newest_key) as newest_key
from listed
    lateral view posexplode(types) exploded as position, column_name, source_type
group by {{ table_of_batch }}, column_name, source_type
