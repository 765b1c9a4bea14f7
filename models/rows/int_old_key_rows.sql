-- Computed from events, so that a late-arriving change counts as one in time.
with numbered as (
    select
        *,
        row_number() over (
            partition by source_name, table_name, change.change_id order by change.change_order
        ) as copy_number
    from {{ ref('int_partial_key_updates') }}
),

key_updates as (
    select * except (copy_number, batch_id, old_append_number)
    from numbered
    where copy_number = 1 -- Duplicates have several positions; the first one applies.
),

-- The changes by which a row left its key or arrived at it.
ends as (
    select
        link.change_id,
        bool_or(link.leaves) as leaves,
        bool_or(not link.leaves) as comes
    from key_updates
        lateral view stack(2, old_change_id, true, change.change_id, false) link as change_id, leaves
    group by link.change_id
),

-- All changes of the rows that left their key, with arrivals and departures marked.
old_rows as (
    select
        sent_changes.row_id,
        sent_changes.source_name,
        any_value(sent_changes.format) as format,
        any_value(sent_changes.database_name) as database_name,
        any_value(sent_changes.schema_name) as schema_name,
        sent_changes.table_name,
        bool_or(sent_changes.is_ordered_by_position) as is_ordered_by_position,
        collect_list(struct(
            sent_changes.change.change_order, sent_changes.change.change_id,
            if(ends.leaves, 'key_update_preimage', sent_changes.change.change_type) as change_type,
            if(ends.comes, 'carried', sent_changes.change.image_scope) as image_scope,
            sent_changes.change.row_image, sent_changes.change.sequence_number, sent_changes.change.event_at,
            sent_changes.change.before_hash, sent_changes.change.is_soft_deleted
        )) as changes
    from {{ ref('int_sent_changes') }} as sent_changes
    left semi join key_updates on sent_changes.row_id = key_updates.old_row_id
    left join ends on sent_changes.change.change_id = ends.change_id
    group by sent_changes.row_id, sent_changes.source_name, sent_changes.table_name
),

folded as (
    select
        old_rows.changes,
        row_versions(old_rows.changes, table_truncates.truncates, old_rows.is_ordered_by_position) as versions
    from old_rows
    left join {{ ref('table_truncates') }} as table_truncates on {{ is_same_table('old_rows', 'table_truncates') }}
),

-- Each row when it left its key, and the oldest change that contributes to its image.
images_before as (
    select
        changes[version.change].change_id as old_change_id,
        version.image,
        version.is_soft_deleted,
        get(changes, version.first_live) as oldest_change
    from folded
        lateral view explode(versions) exploded as version
)

select
    key_updates.* except (old_row_id, old_change_id),
    images_before.image as old_image,
    images_before.is_soft_deleted as was_soft_deleted,
    images_before.oldest_change
from key_updates
left join images_before on key_updates.old_change_id = images_before.old_change_id
