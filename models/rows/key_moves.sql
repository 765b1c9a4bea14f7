{{ config(
    materialized='incremental',
    incremental_strategy='merge',
    unique_key='change_id',
    on_schema_change='fail',
    tblproperties={'delta.dataSkippingStatsColumns': 'change_id,source_name,table_name,appended_at'},
) }}

{%- set unfolded = unfolded_moves() %}
{%- if unfolded.is_idle %}
    {{ nothing_new() if is_incremental() else no_moved_rows() }}
{%- else %} -- noqa: disable=LT02
with moved as (
    {{ moved_rows(unfolded) | indent(4) }}
),

newest as (
    select max(appended_at) as appended_at
    from {{ ref('events') }}
    where {{ unfolded.condition }}
)

select
    moved.*,
    newest.appended_at
from moved
cross join newest
{%- endif %}
