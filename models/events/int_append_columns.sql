-- noqa: disable=LT02,LT09
{%- set table_of_batch -%}
append_number, batch_id, format, source_name, database_name, schema_name, table_name
{%- endset %}
with layouts as (
    select
        {{ table_of_batch }}, has_types,
        from_json(layout, 'map<string, string>') as types,
        min(layout_order) as first_order,
        max(struct(layout_order, row_key)) filter (where row_key is not null) as newest_key
    from {{ ref('int_column_layouts') }}
    group by {{ table_of_batch }}, has_types, layout
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
from layouts
    lateral view posexplode(types) exploded as position, column_name, source_type
group by {{ table_of_batch }}, column_name, source_type
