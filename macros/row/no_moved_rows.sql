{#- What key_moves selects where no change tells a part of its row: no row, in the columns and types of moved_rows. -#}
{% macro no_moved_rows() -%}
select
    change.change_id,
    row_id,
    source_name,
    format,
    database_name,
    schema_name,
    table_name,
    row_key,
    row_id as old_row_id,
    row_key as old_row_key,
    change.change_id as old_change_id,
    change.change_order,
    change.image_scope,
    change.row_image,
    change.row_image as sent_image,
    change.sequence_number,
    change.event_at,
    change.is_soft_deleted,
    appended_at
from ({{ row_changes() }})
where false
{%- endmacro %}
