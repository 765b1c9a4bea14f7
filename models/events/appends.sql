{{ config(materialized='incremental_table', full_refresh=false, pre_hook='{{ settle_copies() }}', meta={
    'identified_by': [
        'append_number', 'batch_id', 'format', 'source_name', 'database_name', 'schema_name', 'table_name',
    ]}) }}
{%- set step = new_appends() -%}
{{ build_step(step.action, rows=step.rows, since=step.since, append=step.append) }}
-- noqa: disable=LT02,LT09
with appended as (
    select * from {{ ref('events') }}
    -- A concurrent append of another build, newer than `append`, is left to the build that settles its copies.
    where append_number > {{ step.since }} and append_number <= {{ step.append }}
    {%- if step.action == 'append' %}
        -- Reads the manifest in the transaction of its append, so that of two concurrent builds the second fails.
        and append_number not in (select recorded.append_number from {{ this }} as recorded)
    {%- endif %}
),

key_updates as (
    select
        struct(append_number, batch_id, format, source_name, database_name, schema_name, table_name) as table_of_batch,
        count(*) as partial_key_updates
    from {{ ref('int_partial_key_updates') }}
    -- Both halves are appended together: with a condition on both, Delta skips files for both.
    where append_number > {{ step.since }} and old_append_number > {{ step.since }}
        and append_number <= {{ step.append }}
    group by table_of_batch
),

listed as (
    select
        struct(append_number, batch_id, format, source_name, database_name, schema_name, table_name) as table_of_batch,
        array_sort(collect_list(struct(column_name, source_type, first_order, first_listing))) as columns,
        max(newest_key) as newest_key
    from {{ ref('int_append_columns') }}
    where append_number > {{ step.since }} and append_number <= {{ step.append }}
    group by table_of_batch
),

counted as (
    select
        struct(append_number, batch_id, format, source_name, database_name, schema_name, table_name) as table_of_batch,
        count_if(event_index = 0) as messages_read,
        count(*) as events,
        count_if(outcome in ('change', 'duplicate') and row_key is not null and change_type <> 'truncate')
            as row_changes,
        count_if(outcome in ('change', 'duplicate') and change_type = 'truncate') as truncates,
        min(landed_at) as first_landed_at,
        max(landed_at) as last_landed_at,
        min(appended_at) as appended_at
    from appended
    group by table_of_batch
)

select
    counted.table_of_batch.*,
    counted.messages_read,
    counted.events,
    counted.row_changes,
    coalesce(key_updates.partial_key_updates, 0) as partial_key_updates,
    counted.truncates,
    coalesce(counted.first_landed_at < greatest(
        max(counted.last_landed_at) over (
            order by counted.table_of_batch.append_number range between unbounded preceding and 1 preceding
        ),
        {{ '(select max(old.last_landed_at) from ' ~ this ~ ' as old)' if step.action == 'append' else 'null' }}
    ), false) as is_late,
    counted.first_landed_at,
    counted.last_landed_at,
    counted.appended_at,
    listed.columns,
    listed.newest_key
from counted
left join listed on counted.table_of_batch <=> listed.table_of_batch
left join key_updates on counted.table_of_batch <=> key_updates.table_of_batch
