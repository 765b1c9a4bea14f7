{#-
    A select of the changes that count (relation in the shape of row_changes), each with its fold_order: copies of one
    change stand at its first position, and a preimage whose postimage is there too removes nothing. Source and table are
    part of each window so that a query for one table reads no other (row_history is a view); row_id goes first, for its
    first letters tell most rows apart when they are sorted.
-#}
{% macro ordered_changes(changes) -%}
{#- Only changes without a sequence are ordered by where they lie. -#}
{%- set place -%}
if(
    change.change_order.sequence is null, struct(change.change_order.topic, change.change_order.partition), null
)
{%- endset -%}
select
    *,
    {{ fold_order('change', 'is_spread_now', "startswith(format, 'databus_')") }} as fold_order
from (
    select
        * except (row_key),
        {{ named_row_key('row_key', 'row_window') }} as row_key,
        row_number() over (partition by row_id, source_name, table_name, change.change_id order by change.change_order, appended_at desc) as copy_number,
        max(change.change_type = 'update_postimage') over (
            partition by
                row_id, source_name, table_name,
                change.change_order.phase, change.change_order.sequence, change.change_order.serial
        ) as has_postimage_in_order,
        max(change.change_type = 'update_postimage') over (
            partition by
                row_id, source_name, table_name,
                change.change_order.topic, change.change_order.partition, change.change_order.offset
        ) as has_postimage_in_message,
        max(is_spread) over row_window
        or coalesce(
            min({{ place }}) over row_window <> max({{ place }}) over row_window, false
        ) as is_spread_now
    from {{ changes }}
    window row_window as (partition by row_id, source_name, table_name)
)
where copy_number = 1
    and not (
        change.change_type = 'update_preimage'
        -- A rank of 0 says that the order tells one pair from the next; else only the message does.
        and (has_postimage_in_message or (
            has_postimage_in_order and change.change_order.image_rank = 0
            and change.change_order.sequence is not null
        ))
    )
{%- endmacro %}
