{#-
    Gives a message that was read late (a batch that committed late, a replay) the outcome that it would have had in its
    turn: of the copies of a change the one that landed first is the change, also if a later one was read before it. A
    post-hook of events, since the append cannot change what was appended before. It looks at the duplicates of the last
    append alone, and writes nothing unless one of them landed before something that was read earlier.
-#}
{% macro settle_copies() -%}
{%- if not (execute and is_incremental()) -%}{{ return('') }}{%- endif -%}
{%- set late -%}
select change_id from {{ this }}
where outcome = 'duplicate'
    and appended_at = (select max(appended_at) from {{ this }})
    and landed_at < (
        select max(landed_at) from {{ this }}
        where appended_at < (select max(appended_at) from {{ this }})
    )
{%- endset -%}
{%- if run_query(late ~ ' limit 1') | length > 0 -%}
merge into {{ this }} as events
using (
    select
        *,
        -- Copies at one place of one batch cannot be told apart: they stay as they are.
        max(same_place) over (partition by change_id) as most_at_one_place
    from (
        select
            change_id,
            batch_id,
            topic,
            partition,
            offset,
            event_index,
            row_number() over (
                partition by change_id order by landed_at, batch_id, topic, partition, offset, event_index
            ) as copy_number,
            count(*) over (partition by change_id, batch_id, topic, partition, offset, event_index) as same_place
        from {{ this }}
        where outcome <> 'quarantined' and change_id in ({{ late }})
    )
) as copies
on events.change_id = copies.change_id
    and events.batch_id <=> copies.batch_id
    and events.topic <=> copies.topic
    and events.partition <=> copies.partition
    and events.offset <=> copies.offset
    and events.event_index = copies.event_index
    and events.outcome <> 'quarantined'
when matched and copies.most_at_one_place = 1 and (events.outcome = 'duplicate') = (copies.copy_number = 1)
    then update set outcome = case
        when copies.copy_number > 1 then 'duplicate'
        when events.change_type is not null then 'change'
        else 'control'
    end
{%- endif -%}
{%- endmacro %}
