{#- Deletion vectors: a merge marks old states as gone and writes the new ones; without, it writes all files again. -#}
{{ config(
    materialized='incremental',
    incremental_strategy='merge',
    unique_key='row_id',
    on_schema_change='fail',
    tblproperties={
        'delta.dataSkippingStatsColumns': 'source_name,table_name,appended_at',
        'delta.enableDeletionVectors': 'true',
    },
) }}

{%- set news = new_events(folded_until()) %}
{#- What names a row beside its new changes: a number takes less time and room where there are many. -#}
{%- set handle = row_id('row_name') if news.are_few else 'xxhash64(row_name)' %}
{%- if news.events == 0 and is_incremental() %}
    {{ nothing_new() }}
{%- else %} -- noqa: disable=LT02
with appended_changes as (
    {{ row_changes() }}
        and {{ news.condition }}
),

new_changes as (
    {{ with_key_moves('appended_changes', news.condition) if news.has_key_moves else 'select * from appended_changes' }}
),

floors as (
    {{ row_floors('new_changes', handle) }}
),

-- Most changes of a first build are older than a full image or delete of their row: they go before anything is moved or
-- sorted, as long as the floors fit in memory.
fresh_changes as (
    select /*+ {{ news.join }}(floors) */
        {{ row_id('row_name') }} as row_id,
        new_changes.* except (row_name, row_id, appended_at),
        floors.appended_at
    from new_changes
    inner join floors on {{ handle }} = floors.handle
    where floors.sequence is null
        or (change.change_order.phase = 1 and change.change_order.sequence >= floors.sequence)
),

candidates as (
    {{ with_known_changes(news) }}
),

ordered as (
    {{ ordered_changes('candidates') }}
),

counting as (
    {{ counting_changes('ordered', news.has_new_parts) }}
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
        element_at(changes, -1) as newest,
        -- Lambdas leave Spark's compiled code.
        if(size(changes) = 1, changes, {{ live_changes('changes') | indent(8) }}) as last_life
    from with_truncates
),

overlaid as (
    select
        *,
        -- What a truncate hides is left out only now: what lies before a full image or a removal never shows again.
        {{ lived_until('newest', 'last_life', 'truncates') | indent(8) }} as live_changes,
        if(size(changes) = 1, null, {{ live_images('live_changes') | indent(8) }}) as images
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
    {{ is_gone('newest', 'live_changes') if news.has_parts else is_removal('newest') }} as is_deleted,
    -- Most rows are one full image: only the others need the overlay.
    coalesce(
        {{ 'overlay_images(if(size(images) > 1, images, null)),' if news.has_parts }} get(images, 0), newest.row_image
    ) as row_image,
    {{ last_fields('newest') }},
    if(size(changes) = 1, 0, size(filter(changes, change -> {{ is_tied('change', 'newest') }})) - 1) as tied_changes,
    -- Behind a sequence it says nothing more, and whether all that came before was read depends on the runs.
    is_spread and newest.change_order.sequence is null as is_spread,
    -- Most rows are one change, which is what the columns above say.
    if(size(changes) = 1, null, transform(changes, change -> struct({{ kept_fields('change') }}))) as kept_changes,
    -- All that a later run has to know of most rows.
    if({{ is_settled('newest') }} and size(changes) = 1, {{ change_hash('newest') }}, null) as settled_hash,
    appended_at
from overlaid
{%- endif %}
