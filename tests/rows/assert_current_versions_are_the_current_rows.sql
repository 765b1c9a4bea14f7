-- One current version for each row of current_rows, of the same change and image, and no other. Sources with changes
-- that row_states has not read yet are left out, and not only their tables, because a truncate may name a database.
with current_versions as (
    select * from {{ ref('row_history') }}
    where is_current
)

select
    coalesce(current_versions.row_key, current_rows.row_key) as row_key,
    current_versions.last_change_id as version_change_id,
    current_rows.last_change_id as row_change_id
from current_versions
full outer join {{ ref('current_rows') }} as current_rows
    on {{ is_same_table('current_versions', 'current_rows') }}
        and current_versions.row_key = current_rows.row_key
where
    not struct(current_versions.last_change_id, current_versions.row_image)
    <=> struct(current_rows.last_change_id, current_rows.row_image)
    and coalesce(current_versions.source_name, current_rows.source_name) not in (
        select events.source_name from {{ ref('events') }} as events
        where events.outcome in ('change', 'duplicate') and not events.fold_scope <=> 'copy'
            and events.change_type is not null and events.append_number > (
                select coalesce(max(folded.append_number), 0) from {{ ref('row_states') }} as folded
            )
    )
