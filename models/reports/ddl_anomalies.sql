-- The first event of a message: a statement about several tables gives one per table that it empties.
with statements as (
    select
        *,
        read_ddl(ddl_text, database_name, schema_name, table_name) as ddl,
        read_ddl(ddl_text, null, null, null).emptied as written_tables
    from {{ ref('events') }}
    where outcome in ('change', 'control')
        and (change_type = 'truncate' or control_kind = 'schema_change')
        and ddl_text <> ''
        and event_index = 0
),

{%- set no_table -%}
named_struct(
    'database_name', cast(null as string), 'schema_name', cast(null as string), 'table_name', cast(null as string)
)
{%- endset %}

renames as (
    select
        *,
        exists(ddl.renamed, one -> one.old = rename.new or one.new = rename.old) as is_swap
    from statements
        lateral view explode(ddl.renamed) renames as rename
),

found as (
    select
        anomaly,
        struct(database_name, schema_name, table_name) as this,
        {{ no_table }} as other,
        change_id
    from statements
        lateral view explode(array_compact(array(
            if(not ddl.is_understood, 'not_understood', null),
            if(ddl.changes_partitions, 'partitions_changed', null),
            if(ddl.kind rlike '^(FLASHBACK|RECOVER|UNDROP)_', 'table_restored', null)
        ))) anomalies as anomaly
    union all
    select
        if(is_swap, 'tables_swapped', 'table_renamed') as anomaly,
        rename.old as this,
        rename.new as other,
        change_id
    from renames
    union all
    -- A contradicting code takes precedence.
    select
        'table_not_emptied' as anomaly,
        emptied as this,
        {{ no_table }} as other,
        change_id
    from statements
        lateral view explode(ddl.emptied) emptied_tables as emptied
    where change_type is null
    union all
    select
        'other_table_emptied' as anomaly,
        struct(database_name, schema_name, table_name) as this,
        written_tables[0] as other,
        change_id
    from statements
    where change_type = 'truncate'
        and size(written_tables) = 1
        and lower(written_tables[0].table_name) <> lower(table_name)
),

live_rows as (
    select
        source_name,
        format,
        struct(database_name, schema_name, table_name) as this,
        count(*) as live_rows
    from {{ ref('current_rows') }}
    group by source_name, format, struct(database_name, schema_name, table_name)
)

select
    found.anomaly,
    statements.source_name,
    statements.format,
    found.this.database_name,
    found.this.schema_name,
    found.this.table_name,
    statements.change_id,
    statements.ddl_kind,
    statements.ddl_text,
    statements.event_at,
    statements.change_order,
    found.other.database_name as other_database_name,
    found.other.schema_name as other_schema_name,
    found.other.table_name as other_table_name,
    coalesce(live_rows.live_rows, 0) as live_rows
from found
inner join statements on found.change_id = statements.change_id
left join live_rows
    on statements.source_name = live_rows.source_name
        and statements.format = live_rows.format
        and found.this <=> live_rows.this
