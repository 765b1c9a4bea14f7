-- In most tables few layouts differ, so models group by the text and parse each of them once.
with rows as (
    select
        events.*,
        -- Avro values contain the id of their schema.
        coalesce(events.source_metadata['column_types'], avro.column_types) as column_types
    from {{ ref('events') }} as events
    left join {{ ref('base_avro__column_types') }} as avro
        on events.source_name = avro.source_name and events.source_metadata['schema_id'] = avro.schema_id
    -- Duplicates too, because which of two copies is the change depends on when they landed.
    where events.outcome in ('change', 'duplicate') and events.row_image is not null
)

select
    append_number,
    batch_id,
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
    outcome,
    image_scope,
    row_key,
    column_types is not null as has_types,
    coalesce(column_types, to_json(map_from_arrays(
        json_object_keys(row_image), array_repeat(cast(null as string), size(json_object_keys(row_image)))
    ))) as layout
from rows
