-- One current version for each row of current_rows, of the same change and image, and no other.
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
    not current_versions.last_change_id <=> current_rows.last_change_id
    or not current_versions.row_image <=> current_rows.row_image
