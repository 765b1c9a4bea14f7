{#-
    A select of the changes of key that new events bear on (unfolded is what unfolded_moves gives), each with the row that
    moved, in the columns of key_moves but the last. A late change counts as one in time: all is made from events anew.
-#}
{% macro moved_rows(unfolded) -%}
with found as (
    {{ found_moves(unfolded.condition) }}
),

moves as (
    {{ unsettled_moves('found', unfolded.condition) }}
),

lives as (
    {{ old_row_lives('moves') }}
),

laid as (
    {{ left_behind('lives') }}
),

chained as (
    {{ chained_moves('laid') }}
)

select
    change.change_id,
    row_id,
    source_name,
    format,
    database_name,
    schema_name,
    table_name,
    row_key,
    old_row_id,
    old_row_key,
    old_change_id,
    change.change_order,
    image_scope,
    row_image,
    change.row_image as sent_image,
    change.sequence_number,
    change.event_at,
    change.is_soft_deleted
from chained
{%- if is_incremental() %}
-- Only what is new or has become another row.
where not exists (
    select 1 from {{ this }} as known
    where chained.change.change_id = known.change_id
        and chained.change.change_order = known.change_order
        and chained.old_row_id = known.old_row_id
        and chained.image_scope = known.image_scope
        and chained.row_image <=> known.row_image
)
{%- endif -%}
{%- endmacro %}
