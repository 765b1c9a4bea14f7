with collected as (
    select
        row_id,
        source_name,
        any_value(format) as format,
        any_value(database_name) as database_name,
        any_value(schema_name) as schema_name,
        table_name,
        -- Prefer a row_key that names its columns over the unnamed key of a Databus delete.
        max_by(row_key, struct(not {{ is_unnamed_key('row_key') }}, row_key)) as row_key,
        collect_list(change) as changes,
        bool_or(is_ordered_by_position) as is_ordered_by_position
    from {{ ref('int_row_changes') }}
    -- Grouped by source and table too, so that a query for one table reads no other table.
    group by row_id, source_name, table_name
),

folded as (
    select
        collected.*,
        table_truncates.truncates,
        row_versions(collected.changes, table_truncates.truncates, collected.is_ordered_by_position) as versions
    from collected
    left join {{ ref('table_truncates') }} as table_truncates on {{ is_same_table('collected', 'table_truncates') }}
)

select
    folded.* except (changes, is_ordered_by_position, truncates, versions),
    changes[version.change] as change,
    version.change_number,
    version.role,
    version.decided_by,
    version.is_deleted,
    version.image,
    version.is_image_whole,
    version.valid_from,
    version.valid_to,
    coalesce(
        get(changes, version.ending_change).change_order, get(truncates, version.ending_truncate).change_order
    ) as valid_to_order,
    transform(version.later_truncates, number -> truncates[number]) as later_truncates
from folded
    lateral view explode(versions) exploded as version
