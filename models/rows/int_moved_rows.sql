-- Each change of key that told a part of its row, with the row that moved: what the old key showed before, under what
-- the message says. All is made from events alone, so a late change counts as one in time.
with numbered as (
    select
        * except (appended_at, old_appended_at),
        row_number() over (partition by source_name, table_name, change_id order by change_order) as copy_number
    from {{ ref('int_partial_key_updates') }}
),

moves as (
    select * except (copy_number)
    from numbered
    where copy_number = 1 -- Copies of a change stand at several positions; the first is its own.
),

-- The changes by which a row left its key or came to it.
ends as (
    select
        link.change_id,
        bool_or(link.leaves) as leaves,
        bool_or(not link.leaves) as comes
    from moves
        lateral view inline(arrays_zip(array(old_change_id, change_id), array(true, false))) link as change_id, leaves
    group by link.change_id
),

-- The rows that moved away: all of their changes, those by which a row came or left marked as such.
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
            sent_changes.change_order,
            sent_changes.change_id,
            if(ends.leaves, 'moved_away', sent_changes.change_type) as change_type,
            if(ends.comes, 'moved', sent_changes.image_scope) as image_scope,
            sent_changes.row_image,
            sent_changes.sequence_number,
            sent_changes.event_at,
            sent_changes.before_hash,
            sent_changes.is_soft_deleted
        )) as changes
    from {{ ref('int_sent_changes') }} as sent_changes
    left semi join moves on sent_changes.row_id = moves.old_row_id
    left join ends on sent_changes.change_id = ends.change_id
    group by sent_changes.row_id, sent_changes.source_name, sent_changes.table_name
),

folded as (
    select
        old_rows.changes,
        row_versions(old_rows.changes, table_truncates.truncates, old_rows.is_ordered_by_position) as versions
    from old_rows
    left join {{ ref('table_truncates') }} as table_truncates
        on {{ is_same_table('old_rows', 'table_truncates') }}
),

-- What each row was when it left, and the lowest of the images that this is made of.
carried_images as (
    select
        changes[version.change].change_id as old_change_id,
        version.image,
        version.is_soft_deleted,
        get(changes, version.first_live) as lowest
    from folded
        lateral view explode(versions) exploded as version
),

laid as (
    select
        moves.* except (is_soft_deleted),
        -- As an image, for it goes along like one.
        to_json(struct(coalesce(moves.is_soft_deleted, carried_images.is_soft_deleted) as is_soft_deleted)) as said,
        if(carried_images.lowest.image_scope = 'moved', carried_images.lowest.change_id, null) as previous_id,
        if(carried_images.lowest.image_scope = 'full', 'full', 'moved') as image_scope,
        overlay_images(array(carried_images.image, moves.sent_image)) as row_image
    from moves
    left join carried_images on moves.old_change_id = carried_images.old_change_id
),

-- A row that moved twice lies on what moved before. Only such moves are brought together by table, in one array.
named as (
    select
        link.change_id,
        max(link.laid) as laid,
        max(link.is_previous) as is_previous
    from (select struct(*) as laid from laid) as structs
        lateral view inline(array(
            struct(laid.change_id as change_id, laid, false as is_previous),
            struct(laid.previous_id as change_id, null as laid, true as is_previous)
        )) link
    where link.change_id is not null
    group by link.change_id
),

chains as (
    select
        collect_list(laid) as links,
        overlay_chains(links.change_id, links.previous_id, links.row_image, links.image_scope) as resolved,
        overlay_chains(links.change_id, links.previous_id, links.said, links.image_scope) as all_said
    from named
    where laid is not null
    group by
        laid.source_name, laid.format, laid.database_name, laid.schema_name, laid.table_name,
        if(is_previous or laid.previous_id is not null, null, change_id)
)

select
    zipped.link.* except (previous_id, image_scope, row_image, said),
    cast(get_json_object(zipped.all_said.row_image, '$.is_soft_deleted') as boolean) as is_soft_deleted,
    zipped.whole.image_scope,
    zipped.whole.row_image
from chains
    lateral view inline(arrays_zip(links, resolved, all_said)) zipped as link, whole, all_said
