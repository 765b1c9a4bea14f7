{#-
    The columns that messages have told of, as CTEs: `typed_columns` has the widest of each column's types so far, and
    what did not fit into it. Of Avro the newest schema counts where it can read all the types, and what it says about a
    column that older writers did not have is in `reader_field`.
-#}
{% macro seen_columns(table_columns) -%}
{%- set same_table -%}
seen_types.source_name = readers.source_name and seen_types.format = readers.format
        and seen_types.database_name <=> readers.database_name and seen_types.schema_name <=> readers.schema_name
        and seen_types.table_name = readers.table_name
{%- endset -%}
seen_types as (
    select
        {{ table_columns }},
        column_name,
        array_sort(collect_list(struct(
            first_change_order.phase, first_change_order.sequence, first_landed_at, first_change_order, source_type
        ))).source_type as types
    from {{ ref('column_types') }}
    group by {{ table_columns }}, column_name
),

readers as (
    {{ avro_readers(table_columns) | indent(4) }}
),

read_types as (
    select
        seen_types.*,
        from_json(readers.column_types, 'map<string, string>')[seen_types.column_name] as reader_type,
        readers.reader_fields[seen_types.column_name] as reader_field
    from seen_types
    left join readers on {{ same_table }}
),

typed_columns as (
    select
        *,
        if(
            forall(types, type -> coalesce({{ avro_promotes('type', 'reader_type') }}, false)),
            named_struct('type', reader_type, 'refused',
                cast(array() as array<struct<change: string, type: string>>)),
            {{ widest_type('types') | indent(12) }}
        ) as folded
    from read_types
)
{%- endmacro %}
