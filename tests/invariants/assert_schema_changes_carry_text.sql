{{ config(
    severity=var('invariant_severity', 'error'),
    error_if='> ' ~ var('assert_schema_changes_carry_text_limit', 0),
    warn_if='> ' ~ var('assert_schema_changes_carry_text_limit', 0),
) }}

-- Each DDL event contains its statement; a truncate of Lindorm or Debezium is a row operation and has none, nor have
-- schema changes of SQL Server and Db2.
select
    source_name,
    format,
    table_name,
    ddl_kind,
    change_id
from {{ ref('events') }}
where outcome in ('change', 'control')
    and source_name in {{ judged_sources() }}
    and ddl_kind is not null
    and not startswith(format, 'lindorm_')
    and format <> 'debezium'
    and trim(coalesce(ddl_text, '')) = ''
