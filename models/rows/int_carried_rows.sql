-- Partial primary-key updates, completed: the columns of the message overlaid on the row of the old key. If the key
-- changed twice, the second update is overlaid on the row completed by the first.
with overlaid as (
    select
        * except (old_image, was_soft_deleted, oldest_change),
        -- Encoded as an image, so that overlay_chains carries it over too.
        to_json(struct(coalesce(change.is_soft_deleted, was_soft_deleted) as is_soft_deleted)) as soft_delete_image,
        if(oldest_change.image_scope = 'carried', oldest_change.change_id, null) as previous_id,
        if(oldest_change.image_scope = 'full', 'full', 'carried') as image_scope,
        overlay_images(array(old_image, change.row_image)) as row_image
    from {{ ref('int_old_key_rows') }}
),

-- Only the updates of such a chain share an array.
linked as (
    select
        link.change_id,
        max(link.overlaid) as overlaid,
        max(link.is_previous) as is_previous
    from (select struct(*) as overlaid from overlaid) as structs
        lateral view inline(array(
            struct(overlaid.change.change_id as change_id, overlaid, false as is_previous),
            struct(overlaid.previous_id as change_id, null as overlaid, true as is_previous)
        )) link
    where link.change_id is not null
    group by link.change_id
),

chains as (
    select
        overlaid.source_name,
        overlaid.table_name,
        collect_list(overlaid) as links,
        overlay_chains(links.change.change_id, links.previous_id, links.row_image, links.image_scope) as images,
        overlay_chains(links.change.change_id, links.previous_id, links.soft_delete_image, links.image_scope)
            as soft_deletes
    from linked
    where overlaid is not null
    group by
        overlaid.source_name, overlaid.format, overlaid.database_name, overlaid.schema_name, overlaid.table_name,
        if(is_previous or overlaid.previous_id is not null, null, change_id)
)

select
    link.row_id,
    source_name,
    link.format,
    link.database_name,
    link.schema_name,
    table_name,
    link.row_key,
    struct(
        link.change.change_order, link.change.change_id, link.change.change_type, whole.image_scope, whole.row_image,
        link.change.sequence_number, link.change.event_at, cast(null as string) as before_hash,
        cast(get_json_object(soft_delete.row_image, '$.is_soft_deleted') as boolean) as is_soft_deleted
    ) as change,
    link.is_ordered_by_position,
    link.append_number
from chains
    lateral view inline(arrays_zip(links, images, soft_deletes)) zipped as link, whole, soft_delete
