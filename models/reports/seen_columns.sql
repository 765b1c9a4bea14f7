-- The types of each column in messages, in the order of their first appearance.
with seen_types as (
    select
        struct(source_name, format, database_name, schema_name, table_name) as source_table,
        column_name,
        array_sort(collect_list(struct(
            first_order, first_landed_at, source_type
        ))).source_type as types
    from {{ ref('column_types') }}
    group by source_table, column_name
),

keys as (
    select
        struct(source_name, format, database_name, schema_name, table_name) as source_table,
        max(struct(newest_key.last_order, last_landed_at, newest_key.key_columns)).key_columns as key_columns
    from {{ ref('appends') }}
    where newest_key is not null
    group by source_table
),

-- The columns with types in one order: landings in sequence, within a landing the message with the most columns first.
-- A new column is inserted after its predecessor there (at the front without one), so later messages move no column.
ordered as (
    select
        struct(source_name, format, database_name, schema_name, table_name) as source_table,
        aggregate(
            array_sort(collect_list(struct(first_listing.*, column_name)) filter (where first_listing is not null)),
            cast(array() as array<string>),
            (known, next) -> if(
                array_contains(known, next.column_name),
                known,
                array_insert(
                    known,
                    cast(coalesce(array_position(known, next.previous_name), 0) as int) + 1,
                    next.column_name
                )
            )
        ) as listed_columns
    from {{ ref('column_types') }}
    group by source_table
),

-- Avro: the newest writer schema of the rows of the table, by the version that the source assigns, else by the last row
-- in the order of the source. The landing time is ignored. Canal: the greatest id of its messages.
seen_metadata as (
    select
        struct(source_name, format, database_name, schema_name, table_name) as source_table,
        max_by(
            source_metadata['schema_id'],
            struct(try_cast(source_metadata['schema_version'] as int), change_order)
        ) as schema_id,
        max(source_metadata['message_id']) as message_id
    from {{ ref('events') }}
    where outcome = 'change' and row_image is not null
        and coalesce(source_metadata['schema_id'], source_metadata['message_id']) is not null
    group by source_table
),

read_types as (
    select
        seen_types.*,
        keys.key_columns,
        seen_metadata.message_id,
        -- Avro: in the order of the newest schema.
        coalesce(json_object_keys(readers.column_types), ordered.listed_columns) as listed_columns,
        from_json(readers.column_types, 'map<string, string>')[seen_types.column_name] as reader_type,
        -- If the newest schema reads all the types, its type applies even if another is wider.
        widest_type(seen_types.types, reader_type) as widest,
        readers.reader_fields[seen_types.column_name] as reader_field
    from seen_types
    left join keys on {{ is_same_table('seen_types.source_table', 'keys.source_table') }}
    left join ordered on {{ is_same_table('seen_types.source_table', 'ordered.source_table') }}
    left join seen_metadata on {{ is_same_table('seen_types.source_table', 'seen_metadata.source_table') }}
    left join {{ ref('base_avro__column_types') }} as readers
        on seen_metadata.source_table.source_name = readers.source_name and seen_metadata.schema_id = readers.schema_id
)

select
    source_table.*,
    message_id,
    column_name,
    nullif(coalesce(array_position(listed_columns, column_name), 0), 0) as column_position,
    coalesce(array_contains(key_columns, column_name), false) as is_key,
    widest.type as source_type,
    widest.refused as refused_types,
    reader_field.default_value,
    reader_field.aliases
from read_types
