{{ config(
    materialized='incremental',
    incremental_strategy='merge',
    unique_key='row_id',
    on_schema_change='fail',
    tblproperties={'delta.dataSkippingStatsColumns': 'row_id,source_name,table_name,appended_at'},
) }}

with new_changes as (
    select
        {{ row_id() }} as row_id,
        source_name,
        format,
        database_name,
        schema_name,
        table_name,
        row_key,
        {{ order_without_position('change_order') }} as rank_order,
        struct(
            change_order,
            change_id,
            change_type,
            row_image,
            sequence_number,
            event_at
        ) as change,
        appended_at
    from {{ ref('events') }}
    where outcome in ('change', 'duplicate')
        and row_key is not null
        and change_type <> 'truncate'
        {%- if is_incremental() %}
            and appended_at > {{ folded_until() }}
        {%- endif %}
),

{%- if is_incremental() %}

    known_changes as (
        select
            states.row_id,
            states.source_name,
            states.format,
            states.database_name,
            states.schema_name,
            states.table_name,
            states.row_key,
            {{ order_without_position('newest.change_order') }} as rank_order,
            newest as change,
            states.appended_at
        from {{ this }} as states
            lateral view explode(states.newest_changes) exploded as newest
        where states.row_id in (select new_changes.row_id from new_changes)
    ),
{%- endif %}

candidates as (
    select * from new_changes
    {%- if is_incremental() %}
        union all
        select * from known_changes
    {%- endif %}
),

ranked as (
    select
        *,
        rank() over (partition by row_id order by rank_order desc) as order_rank
    from candidates
),

-- Copies of one change stand at several positions: the first position is its own, whenever it arrives.
newest as (
    select
        *,
        row_number() over (partition by row_id, change.change_id order by change.change_order) as copy_number
    from ranked
    where order_rank = 1
),

folded as (
    select
        row_id,
        source_name,
        format,
        database_name,
        schema_name,
        table_name,
        row_key,
        -- More than one: they tie in all but position. All are kept, so that a later run decides as this one does.
        sort_array(collect_list(if(copy_number = 1, change, null)), false) as newest_changes,
        max(appended_at) as appended_at
    from newest
    group by row_id, source_name, format, database_name, schema_name, table_name, row_key
)

select
    row_id,
    source_name,
    format,
    database_name,
    schema_name,
    table_name,
    row_key,
    newest_changes[0].change_type in ('delete', 'update_preimage') as is_deleted,
    newest_changes[0].row_image as row_image,
    newest_changes[0].change_id as last_change_id,
    newest_changes[0].change_type as last_change_type,
    newest_changes[0].sequence_number as sequence_number,
    newest_changes[0].event_at as event_at,
    newest_changes[0].change_order as change_order,
    size(newest_changes) - 1 as tied_changes,
    newest_changes,
    appended_at
from folded
