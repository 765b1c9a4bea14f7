{{ config(materialized='incremental', incremental_strategy='merge', unique_key='row_id',
    meta={'folded_from': 'events', 'notes': ['events_until'], 'skipped_by': ['source_name', 'table_name', 'appended_at']},
    post_hook=['{{ note_events_until() }}', '{{ ask_for_snapshots() }}']) }}

{%- set unfolded = unfolded_events() %}
{%- if is_incremental() and unfolded.events == 0 %}
    {{ nothing_new() }}
{%- else %} -- noqa: disable=LT02,LT09
with arrived as (
    select * from {{ unfolded.without_moves or ref('int_row_changes') }}
    where {{ unfolded.condition }}
),

-- Of many changes, what is older than a whole image or delete of its row goes before anything is moved or sorted.
low_watermarks as (
    {%- if is_incremental() %}
    select row_id, max(if(is_base, place, null)) as watermark from arrived
    group by row_id
    {%- else %}
    -- Most changes are, and a number costs less. Where rows share one, the lower watermark counts for both.
    select row_hash, if(count(watermark) = count(*), min(watermark), null) as watermark from (
        select row_hash, max(if(is_base, place, null)) as watermark from arrived
        group by row_hash, source_name, format, database_name, schema_name, table_name, named_by
    ) as rows
    group by row_hash
    {%- endif %}
),

counting as (
    select {{ '' if unfolded.is_few else '/*+ ' ~ unfolded.join ~ '(low_watermarks) */' }} arrived.* from arrived
    {%- if not unfolded.is_few %}
    inner join low_watermarks on {{ 'arrived.row_id = low_watermarks.row_id' if is_incremental() else
        'arrived.row_hash = low_watermarks.row_hash' }}
    where low_watermarks.watermark is null or arrived.place >= low_watermarks.watermark
    {%- endif %}
),
{%- if is_incremental() %}

-- Rows of several changes, between which a truncate that came late may stand.
emptied as (
    select source_name, format, database_name, schema_name, table_name, max(appended_at) as appended_at
    from {{ ref('events') }}
    where {{ unfolded.truncates }} and outcome in ('change', 'duplicate') and change_type = 'truncate'
    group by source_name, format, database_name, schema_name, table_name
),

-- Not a single change that is older than what came.
known as (
    select /*+ {{ unfolded.join }}(touched), broadcast(emptied) */
        states.* except (appended_at),
        -- A typed snapshot that saw the truncate before takes the row once more.
        greatest(states.appended_at, emptied.appended_at) as appended_at
    from {{ this }} as states
    left join low_watermarks as touched on states.row_id = touched.row_id
    left join emptied on {{ is_same_table('states', 'emptied') }}
    where
        if(states.kept_changes is null, false, touched.row_id is not null or emptied.source_name is not null)
        or if(touched.watermark is null, touched.row_id is not null, states.change_order.sequence >= watermark.sequence)
),
{%- endif %}

gathered as (
    select
        row_id, source_name, format, database_name, schema_name, table_name, row_key, change,
        null as known_changes, false as spans_partitions, is_ordered_by_position, appended_at
    from counting
    {%- if is_incremental() %}
    union all
    select
        row_id, source_name, format, database_name, schema_name, table_name, row_key, null as change,
        coalesce(kept_changes, array(struct(
            change_order, last_change_id as change_id, last_change_type as change_type,
            last_image_scope as image_scope, row_image, sequence_number, event_at, last_before_hash as before_hash,
            last_is_soft_deleted as is_soft_deleted
        ))) as known_changes, spans_partitions, is_ordered_by_position, appended_at
    from known
    {%- endif %}
),

collected as (
    select
        row_id, source_name, any_value(format) as format, any_value(database_name) as database_name,
        any_value(schema_name) as schema_name, table_name,
        -- Not of a delete that knows the key but not the names of its columns, if another change knows them.
        max_by(row_key, struct(not row_key like '{"key%', row_key)) as row_key,
        -- What is known comes first: of two readings of a change the last one counts.
        concat(coalesce(first(known_changes, true), array()), collect_list(change)) as changes,
        bool_or(spans_partitions) as spanned,
        bool_or(is_ordered_by_position) as is_ordered_by_position, max(appended_at) as appended_at
    from gathered
    group by row_id, source_name, table_name
),

-- A row of one change is that change: only the others are folded.
folded as (
    select
        collected.*, if(size(collected.changes) > 1, collected.changes, null) as several,
        fold_row(several, table_truncates.truncates, collected.spanned, collected.is_ordered_by_position) as state,
        collected.changes[coalesce(state.newest, 0)] as newest
    from collected
    left join {{ unfolded.no_truncates or ref('table_truncates') }} as table_truncates
        on {{ is_same_table('collected', 'table_truncates') }}
)

select
    row_id, source_name, format, database_name, schema_name, table_name, row_key,
    coalesce(state.is_deleted, newest.is_soft_deleted, newest.change_type in ('delete', 'update_preimage'))
        as is_deleted,
    if(state is null, newest.row_image, state.row_image) as row_image,
    newest.change_id as last_change_id, newest.change_type as last_change_type, newest.image_scope as last_image_scope,
    newest.before_hash as last_before_hash, newest.is_soft_deleted as last_is_soft_deleted, newest.sequence_number,
    newest.event_at, newest.change_order, coalesce(state.tied_changes, 0) as tied_changes,
    -- Behind a sequence it says nothing more, and whether all before it was read depends on the runs.
    coalesce(state.spans_partitions, spanned) and newest.change_order.sequence is null as spans_partitions,
    is_ordered_by_position,
    -- Most rows are one change, which is what the columns above say.
    if(size(state.kept) > 1, transform(state.kept, number -> changes[number]), null) as kept_changes, appended_at
from folded
{%- endif %}
