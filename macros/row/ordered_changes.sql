{#-
    A select of the changes that count (relation in the shape of row_changes), each with its fold_order: copies of one
    change stand at its first position, and a preimage whose postimage is there too removes nothing. Source and table are
    part of each window so that a query for one table reads no other (row_history is a view). Two sorts do for all windows:
    by row_id first, for its first bytes tell most rows apart, and the narrowest window inside, for its order is that of
    the wider ones too. The halves of a change share their sequence, so those of one message need no sort of their own.
-#}
{% macro ordered_changes(changes) -%}
{#- Only changes without a sequence are ordered by where they lie. -#}
{%- set place -%}
if(
    change.change_order.sequence is null, struct(change.change_order.topic, change.change_order.partition), null
)
{%- endset -%}
{%- set table_row = 'row_id, source_name, table_name' -%}
{#- A soft delete may be one too. -#}
{%- set has_postimage = "max(change.change_type = 'update_postimage' or coalesce(change.is_soft_deleted, false))" -%}
select
    * except (step, message, has_postimage_in_step, has_postimage_in_message, copy_number),
    {{ fold_order('change', 'is_spread_now', "startswith(format, 'databus_')") }} as fold_order
from (
    select
        * except (row_key),
        {{ named_row_key('row_key', 'row_window') }} as row_key,
        max(is_spread) over row_window
        or coalesce(
            min({{ place }}) over row_window <> max({{ place }}) over row_window, false
        ) as is_spread_now
    from (
        select *, {{ has_postimage }} over (partition by {{ table_row }}, step) as has_postimage_in_step
        from (
            select *, {{ has_postimage }} over (partition by {{ table_row }}, step, message) as has_postimage_in_message
            from (
                select
                    *,
                    struct(change.change_order.phase, change.change_order.sequence, change.change_order.serial) as step,
                    struct(change.change_order.topic, change.change_order.partition, change.change_order.offset) as message,
                    row_number() over (partition by {{ table_row }}, change.change_id order by change.change_order, appended_at desc)
                        as copy_number
                from (select * from {{ changes }} distribute by row_id)
            )
        )
    )
    window row_window as (partition by {{ table_row }})
)
where copy_number = 1
    and not (
        change.change_type = 'update_preimage'
        -- A rank of 0 says that the order tells one pair from the next; else only the message does.
        and (has_postimage_in_message or (
            has_postimage_in_step and change.change_order.image_rank = 0
            and change.change_order.sequence is not null
        ))
    )
{%- endmacro %}
