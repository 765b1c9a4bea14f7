{{ config(
    severity=var('quarantine_severity'),
    error_if='> ' ~ var('assert_changes_have_a_key_limit', 0),
    warn_if='> ' ~ var('assert_changes_have_a_key_limit', 0),
) }}

-- A change without a key belongs to no row: it is in the changelog, and its table has no current rows from it.
select
    source_name,
    format,
    database_name,
    schema_name,
    table_name,
    count(*) as changes,
    'without a key, so not in current_rows' as problem,
    'If the table has a key, set key_columns in seeds/table_keys.csv, then build with --full-refresh; if not, '
    || 'set assert_changes_have_a_key_limit in dbt_project.yml to the number of such tables.' as remedy
from {{ ref('events') }}
where outcome = 'change'
    and change_type <> 'truncate'
    and row_key is null
    and source_name in {{ judged_sources() }}
    and {{ landed_lately() }}
group by source_name, format, database_name, schema_name, table_name
