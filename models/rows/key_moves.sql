{{ config(
    materialized='incremental', incremental_strategy='merge', unique_key='change_id', meta={
        'folded_from': 'events', 'notes': ['events_until', 'parts_in'],
        'skipped_by': ['change_id', 'source_name', 'table_name', 'appended_at'],
    },
    post_hook='{{ note_events_until() }}',
) }}

{%- set unlooked = unlooked_events() %}
{%- if is_incremental() and unlooked.tables == 'false' %}
    {{ nothing_new() }}
{%- else %} -- noqa: disable=LT02,LT09
with moved as (
    select * from {{ ref('int_moved_rows') }}
    where {{ unlooked.tables }}
)

select
    change_id, row_id, source_name, format, database_name, schema_name, table_name, row_key, old_row_id, old_row_key,
    old_change_id, change_order, image_scope, row_image, sent_image, sequence_number, event_at, is_soft_deleted,
    timestamp_micros({{ unlooked.until }}) as appended_at
from moved
{%- if is_incremental() %}
-- Only what is new or has become another row.
where not exists (
    select 1 from {{ this }} as known
    where moved.change_id = known.change_id
        and moved.change_order = known.change_order
        and moved.old_row_id = known.old_row_id
        and moved.image_scope = known.image_scope
        and moved.row_image <=> known.row_image
        and moved.is_soft_deleted <=> known.is_soft_deleted
)
{%- endif %}
{%- endif %}
