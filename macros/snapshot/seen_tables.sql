{#-
    The tables that messages have told of, as a query: one JSON text per table with its key and its columns. Types that
    did not fit into a column's are in `refused`.
-#}
{% macro seen_tables() -%}
{%- set table_columns = 'source_name, format, database_name, schema_name, table_name' -%}
with {{ seen_columns(table_columns) }},

keys as (
    select
        {{ table_columns }},
        max_by(key_columns, layout_order) as key_columns
    from {{ ref('column_layouts') }}
    where key_columns is not null
    group by {{ table_columns }}
)

select to_json(struct(
    columns.source_name, columns.format, columns.database_name, columns.schema_name, columns.table_name,
    max(keys.key_columns) as key_columns,
    array_sort(collect_list(struct(
        not coalesce(array_contains(keys.key_columns, columns.column_name), false) as is_no_key,
        columns.column_name as name, columns.folded.type, columns.folded.refused,
        columns.reader_field.default_value, columns.reader_field.aliases
    ))) as columns
)) as seen
from typed_columns as columns
left join keys
    on columns.source_name = keys.source_name and columns.format = keys.format and columns.table_name = keys.table_name
        and columns.database_name <=> keys.database_name and columns.schema_name <=> keys.schema_name
group by columns.source_name, columns.format, columns.database_name, columns.schema_name, columns.table_name
order by columns.source_name, columns.format, columns.database_name, columns.schema_name, columns.table_name
{%- endmacro %}
