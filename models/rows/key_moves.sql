{{ config(
    materialized='incremental',
    incremental_strategy='merge',
    unique_key='change_id',
    on_schema_change='fail',
    tblproperties={'delta.dataSkippingStatsColumns': 'change_id,source_name,table_name,appended_at'},
) }}
{%- set unfolded = unfolded_moves() -%}
{%- if unfolded.is_idle and is_incremental() -%}
select * from {{ this }} where false
{%- else -%}
-- What the row was before its key changed, from all of the old key's changes: a late one counts as one in time.
with found as (
    {{ found_moves(unfolded.condition) | indent(4) }}
),

moves as (
    {{ unsettled_moves('found', unfolded.condition) | indent(4) }}
),

marked as (
    {{ old_row_changes('moves') | indent(4) }}
),

ordered as (
    {{ ordered_changes('marked') | indent(4) }}
),

-- The change with which a row left its key ends a life of that row; a full image, a removal or an arrival starts one.
placed as (
    select
        *,
        count_if({{ starts_anew('change') }} or {{ is_removal('change') }} or is_arrival or move is not null) over (
            partition by source_name, table_name, row_id order by fold_order, change.change_order
        ) - if(move is null, 0, 1) as life
    from ordered
),

lives as (
    select
        source_name,
        format,
        database_name,
        schema_name,
        table_name,
        max(move) as move,
        max(if(move is null, null, struct(change.change_order, change.event_at))) as left_at,
        sort_array(collect_list(if(
            move is null,
            struct(fold_order, {{ kept_fields('change') }}, is_arrival),
            null
        ))) as steps
    from placed
    group by source_name, format, database_name, schema_name, table_name, row_id, life
    having max(move) is not null
),

laid as (
    {{ left_behind('lives') | indent(4) }}
),

chained as (
    {{ chained_moves('laid') | indent(4) }}
)

select
    chained.change.change_id,
    chained.row_id,
    chained.source_name,
    chained.format,
    chained.database_name,
    chained.schema_name,
    chained.table_name,
    chained.row_key,
    chained.old_row_id,
    chained.old_row_key,
    chained.old_change_id,
    chained.change.change_order,
    chained.image_scope,
    chained.row_image,
    chained.change.row_image as sent_image,
    chained.change.sequence_number,
    chained.change.event_at,
    (select max(events.appended_at) from {{ ref('events') }} as events where {{ unfolded.condition }}) as appended_at
from chained
    {%- if is_incremental() %}
-- Only what is new or has become another row.
left anti join {{ this }} as known
    on chained.change.change_id = known.change_id
        and chained.change.change_order = known.change_order
        and chained.old_row_id = known.old_row_id
        and chained.image_scope = known.image_scope
        and chained.row_image <=> known.row_image
    {%- endif %}
{%- endif -%}
