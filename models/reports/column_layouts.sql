-- Names and types of the columns of each change that has a row. Few texts differ, so readers of this model group by
-- the text before they parse it.
with changes as (
    select
        events.*,
        -- Avro values contain the id of their schema.
        coalesce(events.source_metadata['column_types'], avro.column_types) as column_types
    from {{ ref('events') }} as events
    left join {{ ref('base_avro__column_types') }} as avro
        on events.source_name = avro.source_name and events.source_metadata['schema_id'] = avro.schema_id
    where events.outcome = 'change' and events.row_image is not null
)

select
    source_name,
    format,
    database_name,
    schema_name,
    table_name,
    -- Across partitions, sources without a sequence are ordered by time only.
    named_struct(
        'phase', change_order.phase,
        'sequence', change_order.sequence,
        'event_at', if(change_order.sequence is null, event_at, null),
        'change_order', change_order
    ) as layout_order,
    landed_at,
    append_number,
    image_scope,
    json_object_keys(row_key) as key_columns,
    column_types is not null as has_types,
    coalesce(column_types, to_json(json_object_keys(row_image))) as layout
from changes
