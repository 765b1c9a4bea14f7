{#-
    The reader schema of each table whose values are Avro, as a query: the newest of those that its rows were written by,
    by the version that the source gives it, else by the last row in the source's order. When anything landed does not
    count.
-#}
{% macro avro_readers(table_columns) -%}
with newest as (
    select
        {{ table_columns }},
        max_by(
            source_metadata['schema_id'],
            struct(try_cast(source_metadata['schema_version'] as int), change_order)
        ) as schema_id
    from {{ ref('events') }}
    where outcome = 'change' and row_image is not null and source_metadata['schema_id'] is not null
    group by {{ table_columns }}
)

select
    newest.*,
    schemas.column_types,
    schemas.reader_fields
from newest
inner join {{ ref('base_avro__column_types') }} as schemas
    on newest.source_name = schemas.source_name and newest.schema_id = schemas.schema_id
{%- endmacro %}
