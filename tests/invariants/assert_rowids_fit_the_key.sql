{{ config(
    severity=var('invariant_severity', 'error'),
    error_if='> ' ~ var('assert_rowids_fit_the_key_limit', 0),
    warn_if='> ' ~ var('assert_rowids_fit_the_key_limit', 0),
) }}

-- SharePlex sends key values without names, <table>-<value>U+0001<value>: as many as table_keys.csv names columns.
with rows_with_id as (
    select
        source_name,
        table_name,
        row_key,
        change_id,
        database_name || '.' || table_name || '-' as prefix,
        source_metadata['rowid'] as rowid
    from {{ ref('events') }}
    where format = 'oms_shareplex'
        and source_name in {{ judged_sources() }}
        and outcome = 'change'
        and row_key is not null
        and not startswith(row_key, '{"rowid":')
)

select
    source_name,
    table_name,
    row_key,
    change_id
from rows_with_id
where startswith(rowid, prefix)
    and size(split(substr(rowid, length(prefix) + 1), r'\x01')) <> size(json_object_keys(row_key))
