-- The first event of a message: a statement about several tables gives one per table that it empties.
with statements as (
    select
        *,
        struct(database_name, schema_name, table_name) as named_table,
        cast(null as struct<database_name: string, schema_name: string, table_name: string>) as no_table,
        read_ddl(ddl_text, database_name, schema_name, table_name) as ddl,
        read_ddl(ddl_text, null, null, null).emptied as written
    from {{ ref('events') }}
    where outcome in ('change', 'control') and (change_type = 'truncate' or control_kind = 'schema_change')
        and ddl_text <> '' and event_index = 0
),

found as (
    select *
    from statements
        lateral view inline(concat(
            transform(
                array_compact(array(
                    if(not ddl.is_understood, 'not_understood', null),
                    if(ddl.changes_partitions, 'partitions_changed', null),
                    if(ddl.kind rlike '^(FLASHBACK|RECOVER|UNDROP)_', 'table_restored', null)
                )),
                kind -> struct(kind as anomaly, named_table as this, no_table as other)
            ),
            transform(ddl.renamed, rename -> struct(
                if(
                    exists(ddl.renamed, one -> one.old = rename.new or one.new = rename.old),
                    'tables_swapped', 'table_renamed'
                ) as anomaly,
                rename.old as this,
                rename.new as other
            )),
            -- A contradicting code of the vendor takes precedence; Debezium has none.
            transform(
                if(change_type is null and format <> 'debezium', ddl.emptied, array()),
                emptied -> struct('table_not_emptied' as anomaly, emptied as this, no_table as other)
            ),
            if(
                change_type = 'truncate' and size(written) = 1 and lower(written[0].table_name) <> lower(table_name),
                array(struct('other_table_emptied' as anomaly, named_table as this, written[0] as other)),
                array()
            )
        )) anomalies as anomaly, this, other
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
    found.source_name,
    found.format,
    found.this.database_name,
    found.this.schema_name,
    found.this.table_name,
    found.change_id,
    found.ddl_kind,
    found.ddl_text,
    found.event_at,
    found.change_order,
    found.other.database_name as other_database_name,
    found.other.schema_name as other_schema_name,
    found.other.table_name as other_table_name,
    coalesce(live_rows.live_rows, 0) as live_rows
from found
left join live_rows
    on found.source_name = live_rows.source_name and found.format = live_rows.format and found.this <=> live_rows.this
