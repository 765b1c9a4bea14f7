-- The same schema may be stored more than once; the newest copy applies, as in the decoding of values.
with newest as (
    select
        source_name,
        schema_id,
        max_by(schema_text, struct(landed_at, schema_text)) as schema_text
    from {{ source('landing', 'avro_schemas') }}
    group by source_name, schema_id
),

fields as (
    select
        source_name,
        schema_id,
        transform(
            from_json(schema_text, 'struct<fields: array<struct<name: string, type: string>>>').fields,
            field -> named_struct('name', field.name, 'type', {{ avro_type('field.type') }})
        ) as typed_columns,
        read_avro_fields(schema_text) as reader_fields
    from newest
)

select
    source_name,
    schema_id,
    {{ types_by_name('typed_columns') }} as column_types,
    reader_fields
from fields
