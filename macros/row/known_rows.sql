{#-
    A select of the known rows that new changes touch (floors), and which of the two still counts: the known alone, where
    it is one change and all that is new is older, a copy of it or its preimage; the new alone; or both. Of all rows no
    more is read than it takes to tell. Of many new changes it is not asked: to sum them up costs more than it spares. It
    is grouped by row, though each row comes once, for that is what Spark makes once and uses twice; without, the filters
    on what counts would reach the scan of the table, and make two of it. news is what new_events gives.
-#}
{% macro known_rows(news) -%}
{%- if not news.are_few -%}
select row_id, 'both' as what_counts from fresh_changes
{%- else -%}
select
    row_id,
    max(case
        when is_unchanged then 'known'
        when floor > known.sequence
            or (floor is not null and known.phase = 0)
            -- A pair cut in two: the preimage came before, its postimage is all that is new.
            or (is_alone and is_same_step and floor = known.sequence and newest.image_rank > known.image_rank)
            then 'new'
        else 'both'
    end) as what_counts
from (
    select /*+ {{ news.join }}(floors) */
        states.row_id,
        states.change_order as known,
        floors.sequence as floor,
        floors.newest,
        floors.only_hash is not null as is_alone,
        floors.newest.sequence = states.change_order.sequence and floors.newest.serial <=> states.change_order.serial
            as is_same_step,
        states.settled_hash is not null
        and coalesce(
            floors.newest.phase = 0
            or floors.newest.sequence < states.change_order.sequence
            or (
                is_same_step
                and (
                    (floors.are_preimages and states.last_change_type = 'update_postimage')
                    or (
                        floors.only_hash = states.settled_hash
                        and floors.newest.image_rank = states.change_order.image_rank
                        and floors.newest >= states.change_order
                    )
                )
            ),
            false
        ) as is_unchanged
    from {{ this }} as states
    inner join floors on states.row_id = floors.handle
)
group by row_id
{%- endif -%}
{%- endmacro %}
