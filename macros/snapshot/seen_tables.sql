{#-
    The tables that messages have told of, as a query: one JSON text per table with its key and its columns. A column
    has the widest of its types so far; types that did not fit into it are in `refused`.
-#}
{% macro seen_tables() -%}
{%- set table_columns = 'source_name, format, database_name, schema_name, table_name' -%}
with types as (
    select
        {{ table_columns }},
        column_name,
        array_sort(collect_list(struct(
            first_change_order.phase, first_change_order.sequence, first_landed_at, first_change_order, source_type
        ))).source_type as types
    from {{ ref('column_types') }}
    group by {{ table_columns }}, column_name
),

columns as (
    select
        *,
        aggregate(
            types,
            cast(named_struct('type', types[0], 'refused', array())
                as struct<type: string, refused: array<struct<change: string, type: string>>>),
            (kept, next) -> transform(
                array({{ type_change('kept.type', 'next') | indent(16) }}),
                change -> cast(named_struct(
                    'type', if(change = 'widened', next, kept.type),
                    'refused', if(change in ('narrowed', 'conflicting'),
                        concat(kept.refused, array(named_struct('change', change, 'type', next))), kept.refused)
                ) as struct<type: string, refused: array<struct<change: string, type: string>>>)
            )[0]
        ) as folded
    from types
),

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
        columns.column_name as name, columns.folded.type, columns.folded.refused
    ))) as columns
)) as seen
from columns
left join keys
    on columns.source_name = keys.source_name and columns.format = keys.format and columns.table_name = keys.table_name
        and columns.database_name <=> keys.database_name and columns.schema_name <=> keys.schema_name
group by columns.source_name, columns.format, columns.database_name, columns.schema_name, columns.table_name
order by columns.source_name, columns.format, columns.database_name, columns.schema_name, columns.table_name
{%- endmacro %}
