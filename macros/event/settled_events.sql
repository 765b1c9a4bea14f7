{% macro settled_events(events, settings) -%}
select
    * except (change_id, change_type, row_image, image_scope, fold_scope, change_order),
    {{ is_format_with('format', 'has_event_key') }} as has_event_key,
    coalesce(configured_key_columns, key_columns) as keyed_by,
    -- A LOB that an update does not change may be sent as null in both images.
    if(size(null_in_both) > 0, array_intersect(null_in_both, concat(
        coalesce(configured_lob_columns, array()),
        coalesce({{ declared_lobs("source_metadata['column_types']") | indent(8) }}, array())
    )), null) as unchanged,
    coalesce(size(unchanged) > 0, false) as has_unchanged,
    if(has_unchanged, drop_columns(if(has_unchanged, configured.row_image, null), unchanged), configured.row_image)
        as row_image,
    if(has_unchanged, 'partial', configured.image_scope) as image_scope,
    case
        when has_unchanged then 'partial'
        -- An update with all columns that its message declares is complete, except for unchanged LOBs (NOBLOB).
        when configured.fold_scope = 'declared' then if(
            size(array_except(configured_lob_columns, json_object_keys(configured.row_image))) > 0, 'partial', 'full'
        )
        -- For an update that may lack columns, staging only knows whether it changes the key that the message names.
        when configured.fold_scope = 'given' and configured_key_columns is not null
            and not configured_key_columns <=> key_columns then 'partial'
        when configured.image_scope = 'full' then coalesce(configured.fold_scope, 'full')
        else configured.image_scope
    end as fold_scope,
    -- Whether a new row image marks its row as deleted; null if the image lacks the configured column.
    case
        when configured_soft_delete_column is not null
            and configured.change_type in ('insert', 'upsert', 'update_postimage')
            and map_contains_key(read_columns(configured.row_image), configured_soft_delete_column) then coalesce(
            lower(read_columns(configured.row_image)[configured_soft_delete_column]) in ('true', 't', 'yes', 'y', '1'),
            false
        )
    end as is_soft_deleted,
    if(is_soft_deleted, 'delete', configured.change_type) as change_type,
    -- Ordered by position, every position is a separate change even with equal content: a value may be toggled.
    if(
        is_position_ordered_source and configured.change_type <> 'truncate',
        {{ change_id(['configured.change_id', 'topic', 'partition', 'offset', 'event_index'], 'null') }},
        configured.change_id
    ) as change_id,
    if(
        is_position_ordered_source,
        {{ change_order(
            'configured.change_order.phase = 0 and not ' ~ is_format_with('format', 'loads_by_position'),
            'null', 'null', '0',
        ) | indent(8) }},
        configured.change_order
    ) as change_order,
    is_position_ordered_source
    or coalesce({{ is_format_with('format', 'order', ['position', 'number_and_position']) }}, false)
        as is_ordered_by_position
from ({{ with_configuration(events, settings) | indent(4) }}) as configured
{%- endmacro %}
