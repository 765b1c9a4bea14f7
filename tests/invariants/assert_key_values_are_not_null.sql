{{ config(
    severity=var('invariant_severity', 'error'),
    error_if='> ' ~ var('assert_key_values_are_not_null_limit', 0),
    warn_if='> ' ~ var('assert_key_values_are_not_null_limit', 0),
) }}

-- A primary key has no null: a null means that key_columns names the wrong columns, or that the image is truncated.
select
    source_name,
    table_name,
    row_key,
    change_id
from {{ ref('events') }}
where outcome = 'change'
    and source_name in {{ judged_sources() }}
    and contains(row_key, ':null')
    and exists(map_values(from_json(row_key, 'map<string, string>')), key_value -> key_value is null)
