{{ config(
    materialized='incremental',
    incremental_strategy='merge',
    unique_key='row_id',
    on_schema_change='fail',
    tblproperties={'delta.dataSkippingStatsColumns': 'row_id,source_name,table_name,appended_at'},
) }}

with new_changes as (
    select
        {{ row_id() }} as row_id,
        source_name,
        format,
        database_name,
        schema_name,
        table_name,
        row_key,
        struct(
            change_order,
            change_id,
            change_type,
            image_scope,
            row_image,
            sequence_number,
            event_at,
            source_metadata['before_hash'] as before_hash
        ) as change,
        false as is_spread,
        appended_at
    from {{ ref('events') }}
    where outcome in ('change', 'duplicate')
        and row_key is not null
        and change_type <> 'truncate'
        and appended_at > {{ folded_until() }}
),

candidates as (
    select * from new_changes
    union all
    {{ known_changes() }}
),

-- A preimage whose postimage is there too removes nothing; copies of one change stand at its first position.
placed as (
    select
        *,
        row_number() over (partition by row_id, change.change_id order by change.change_order) as copy_number,
        max(change.change_type = 'update_postimage') over (
            partition by
                row_id, change.change_order.phase, change.change_order.sequence, change.change_order.serial
        ) as has_postimage_in_order,
        max(change.change_type = 'update_postimage') over (
            partition by row_id, change.change_order.topic, change.change_order.partition, change.change_order.offset
        ) as has_postimage_in_message,
        max(is_spread) over row_window
        or min(struct(change.change_order.topic, change.change_order.partition)) over row_window
        <> max(struct(change.change_order.topic, change.change_order.partition)) over row_window as is_spread_now
    from candidates
    window row_window as (partition by row_id)
),

ordered as (
    select
        *,
        {{ fold_order('change.change_order', 'change.event_at', 'is_spread_now', 'change.before_hash') }} as fold_order
    from placed
    where copy_number = 1
        and not (
            change.change_type = 'update_preimage'
            -- A rank of 0 says that the order tells one pair from the next; else only the message does.
            and (has_postimage_in_message or (
                has_postimage_in_order and change.change_order.image_rank = 0
                and change.change_order.sequence is not null
            ))
        )
),

-- What lies before the newest full image or delete can never count again; what is newer, or ties with it, may.
based as (
    select
        *,
        max(if({{ is_base('change') }}, fold_order, null)) over (partition by row_id) as base_order
    from ordered
),

folded as (
    select
        row_id,
        source_name,
        format,
        database_name,
        schema_name,
        table_name,
        row_key,
        max(is_spread_now) as is_spread,
        collect_list(struct(fold_order, {{ kept_fields('change') }})) as changes,
        max(appended_at) as appended_at
    from based
    where base_order is null or fold_order >= base_order
    group by row_id, source_name, format, database_name, schema_name, table_name, row_key
),

overlaid as (
    select
        *,
        -- The changes in their order: what comes before the chain, the chain, the serial, and position at the end.
        sort_array(transform(changes, change -> struct(
            change.fold_order,
            {{ chain_rank('change', 'changes') }} as chain_rank,
            {{ kept_fields('change') }}
        ))) as kept_changes,
        element_at(kept_changes, -1) as newest,
        {{ live_images('kept_changes') }} as images
    from folded
)

select
    row_id,
    source_name,
    format,
    database_name,
    schema_name,
    table_name,
    row_key,
    {{ is_removal('newest') }} as is_deleted,
    -- Most rows are one full image: only the others need the overlay.
    coalesce(overlay_images(if(size(images) > 1, images, null)), get(images, 0), newest.row_image) as row_image,
    newest.change_id as last_change_id,
    newest.change_type as last_change_type,
    newest.sequence_number,
    newest.event_at,
    newest.change_order,
    size(filter(kept_changes, change -> {{ is_tied('change', 'newest') }})) - 1 as tied_changes,
    is_spread,
    transform(kept_changes, change -> struct({{ kept_fields('change') }})) as kept_changes,
    appended_at
from overlaid
