{{ config(materialized='incremental_table', unique_key='row_id',
    meta={'skipped_by': ['source_name', 'table_name', 'append_number']}) }}
{%- set new = changes_to_fold() -%}
{%- set is_merge, join = new.action == 'merge', 'broadcast' if new.rows <= 5000000 else 'merge' -%}
{{ build_step(new.action, rows=new.rows, since=new.since, append=new.append) }}
-- noqa: disable=AL03,AL08,LT02,LT09,LT14,RF02
with arrived as (
    select
        row_id, source_name, format, database_name, schema_name, table_name, row_key, change, is_ordered_by_position,
        append_number, false as is_carried
    from {{ ref('int_sent_changes') }}
    -- Up to the manifest only: a concurrent append of another build is left to the next build.
    where append_number > {{ new.since }} and append_number <= {{ new.append }}
    {%- if new.carried_in %}
    union all
    -- Completed primary-key updates, also older ones of tables with new changes: their old rows may have changed.
    select
        row_id, source_name, format, database_name, schema_name, table_name, row_key, change, is_ordered_by_position,
        {{ new.append }}, true
    from {{ ref('int_carried_rows') }}
    where append_number <= {{ new.append }} and ({{ new.carried_in }})
    {%- endif %}
),

-- With many changes, those older than a full image or delete of their row are dropped before sorting.
low_watermarks as (
    select row_id, max(if({{ is_base('change', 'is_ordered_by_position') }}, {{ sequence_position('change') }}, null))
        as watermark from arrived group by row_id
),

counting as (
    select /*+ {{ join }}(low_watermarks) */ arrived.* from arrived
    inner join low_watermarks on arrived.row_id = low_watermarks.row_id
    where low_watermarks.watermark is null or {{ sequence_position('arrived.change') }} >= low_watermarks.watermark
),

gathered as (
    select
        row_id, source_name, format, database_name, schema_name, table_name, row_key, change, is_carried,
        null as known_changes, null as was_deleted, null as known_image, null as known_order, null as known_since,
        false as spanned, is_ordered_by_position, append_number
    from counting
    {%- if is_merge %}
    union all
    -- The known rows with new changes, unless all of their known changes are older, and the rows of tables that a new
    -- truncate empties, whatever its order.
    select /*+ {{ join }}(touched), broadcast(emptied) */
        states.row_id, states.source_name, states.format, states.database_name, states.schema_name, states.table_name,
        states.row_key, null, null, coalesce(states.kept_changes, array(struct(
            states.change_order, states.last_change_id as change_id, states.last_change_type as change_type,
            states.last_image_scope as image_scope, states.row_image, states.sequence_number, states.event_at,
            states.last_before_hash as before_hash, states.last_is_soft_deleted as is_soft_deleted
        ))), states.is_deleted, states.row_image, states.change_order, states.changed_at, states.spans_partitions,
        states.is_ordered_by_position, null
    from {{ this }} as states
    left join low_watermarks as touched on states.row_id = touched.row_id
    left join {{ ref('table_truncates') }} as emptied
        on {{ is_same_table('states', 'emptied') }} and emptied.append_number > {{ new.since }}
    where emptied.source_name is not null
        or if(states.kept_changes is null, false, touched.row_id is not null)
        or if(touched.watermark is null, touched.row_id is not null, states.change_order.sequence >= watermark.sequence)
    {%- endif %}
),

collected as (
    select
        row_id, source_name, table_name, any_value(format) as format, any_value(database_name) as database_name,
        any_value(schema_name) as schema_name,
        -- Prefer a key that names its columns over the unnamed key of a Databus delete.
        max_by(row_key, struct(not {{ is_unnamed_key('row_key') }}, row_key)) as row_key,
        count(change) filter (where not is_carried) as arrivals, first(was_deleted, true) as was_deleted,
        first(known_image, true) as known_image, first(known_order, true) as known_order,
        first(known_since, true) as known_since, first(known_changes, true) as known,
        any_value(row_key) filter (where known_since is not null) as known_key, max(append_number) as append_number,
        -- The last of several readings of a change applies: as known, as sent, as completed.
        concat(coalesce(known, array()), collect_list(change) filter (where not is_carried),
            collect_list(change) filter (where is_carried)) as changes,
        bool_or(spanned) as spanned, bool_or(is_ordered_by_position) as is_ordered_by_position
    from gathered
    group by row_id, source_name, table_name
),

-- A row with a single change in a table without truncates equals that change: only the others are folded.
folded as (
    select /*+ broadcast(table_truncates) */
        collected.*,
        table_truncates.append_number as emptied_in,
        if(size(changes) > 1 or newest_truncates is not null, changes, null) as to_fold,
        fold_row(to_fold, newest_truncates, spanned, is_ordered_by_position) as state,
        changes[coalesce(state.newest, 0)] as newest,
        transform(state.kept, number -> changes[number]) as kept,
        coalesce(state.is_deleted, newest.is_soft_deleted, newest.change_type in ('delete', 'update_preimage'))
            as is_deleted,
        if(state is null, newest.row_image, state.row_image) as row_image,
        -- A redelivered or older change may leave the row unchanged.
        row_key = known_key and is_deleted = was_deleted and row_image <=> known_image
        and newest.change_order = known_order as is_same
    from collected
    left join {{ ref('table_truncates') }} as table_truncates on {{ is_same_table('collected', 'table_truncates') }}
)

select
    row_id, source_name, format, database_name, schema_name, table_name, row_key, is_deleted, row_image,
    newest.change_id as last_change_id, newest.change_type as last_change_type, newest.image_scope as last_image_scope,
    newest.before_hash as last_before_hash, newest.is_soft_deleted as last_is_soft_deleted, newest.sequence_number,
    newest.event_at, newest.change_order, coalesce(state.tied_changes, 0) as tied_changes,
    -- Meaningless once the newest change has a sequence; it would also depend on how the builds were cut.
    coalesce(state.spans_partitions, spanned) and newest.change_order.sequence is null as spans_partitions,
    -- Most rows have a single change, stored in the columns above.
    is_ordered_by_position, if(size(kept) > 1, kept, null) as kept_changes,
    -- A truncate, or its end, may have changed a row of the table without a change of its own.
    least(greatest(append_number, emptied_in), {{ new.append }}) as append_number,
    -- A millisecond later: a typed snapshot that is rebuilt uses a microsecond of it.
    if(is_same, known_since, greatest(current_timestamp(), timestamp_micros({{ new.changed_at + 1000 }}))) as changed_at
from folded
{%- if is_merge %}
-- A carried row is written only if its new reading differs from the known one.
where arrivals > 0 or not is_same or not kept <=> known
{%- endif %}
