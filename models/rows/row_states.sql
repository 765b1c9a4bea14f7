{#- Deletion vectors: a merge marks old states as gone and writes the new ones; without, it writes all files again. -#}
{{ config(
    materialized='incremental',
    incremental_strategy='merge',
    unique_key='row_id',
    on_schema_change='fail',
    tblproperties={
        'delta.dataSkippingStatsColumns': 'row_id,source_name,table_name,appended_at',
        'delta.enableDeletionVectors': 'true',
    },
) }}

{%- set since = folded_until() %}
{%- set news = new_events(since) %}
{%- if news.events == 0 and is_incremental() %}
    {{ nothing_new() }}
{%- else %} -- noqa: disable=LT02
with appended_changes as (
    {{ row_changes() }}
        and appended_at > {{ since }}
),

new_changes as (
    {{ with_key_moves('appended_changes', since) if news.has_key_moves else 'select * from appended_changes' }}
),

touched as (
    {{ touched_rows('new_changes') }}
),

-- Most changes of a first build are older than a full image or delete of their row: they go before anything is sorted.
candidates as (
    -- The touched rows are brought to the changes, of which few pass, as long as they fit in memory.
    select /*+ {{ news.join }}(touched) */
        touched.row_id,
        new_changes.* except (row_name, row_id, appended_at),
        touched.appended_at
    from new_changes
    inner join touched on new_changes.row_name = touched.row_name
    where touched.base_sequence is null
        or (change.change_order.phase = 1 and change.change_order.sequence >= touched.base_sequence)
    union all
    {{ known_changes(since, news) }}
),

ordered as (
    {{ ordered_changes('candidates') }}
),

-- What lies before the newest full image or delete can never count again; what is newer, or ties with it, may. So may,
-- in a Databus window or a full load, what position puts before it: a copy comes with other positions. So may what time
-- puts behind it, while position decides: a later run may find the row in another partition.
based as (
    select
        *,
        {{ settled_order('fold_order') }} as settled_order,
        max(if({{ is_base('change') }}, {{ settled_order('fold_order') }}, null)) over (
            partition by source_name, table_name, row_id
        ) as base_order,
        {{ order_if_spread('change', 'is_spread_now') }} as order_if_spread,
        max(if({{ is_base('change') }}, {{ order_if_spread('change', 'is_spread_now') }}, null)) over (
            partition by source_name, table_name, row_id
        ) as base_if_spread
    from ordered
),

counting as (
    select * from based
    where base_order is null or settled_order >= base_order or order_if_spread >= base_if_spread
),

folded as (
    {{ changes_by_row('counting') }}
),

with_truncates as (
    {{ with_truncates('folded') }}
),

lived as (
    select
        *,
        {{ lived_until('element_at(changes, -1)', 'changes', 'truncates') | indent(8) }} as live_changes
    from with_truncates
),

overlaid as (
    select
        *,
        element_at(changes, -1) as newest,
        {{ live_images('live_changes') }} as images
    from lived
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
    size(filter(changes, change -> {{ is_tied('change', 'newest') }})) - 1 as tied_changes,
    -- Behind a sequence it says nothing more, and whether all that came before was read depends on the runs.
    is_spread and newest.change_order.sequence is null as is_spread,
    transform(changes, change -> struct({{ kept_fields('change') }})) as kept_changes,
    appended_at
from overlaid
{%- endif %}
