{#-
    Gives a message that was read late (a batch that committed late, a replay) the outcome that it would have had in its
    turn: of the copies of a change the one that landed first is the change, also if a later one was read before it. A
    post-hook of events, since the append cannot change what was appended before. It looks at the duplicates that were
    appended since a late message was expected (note_late_copies), in this run or in one that died before it came here.
-#}
{% macro settle_copies() -%}
{%- set settled_until = relation_state(this).settled_until if execute and is_incremental() else none -%}
{%- if not settled_until -%}{{ return('') }}{%- endif -%}
{%- set late -%}
select change_id from {{ this }}
where outcome = 'duplicate'
    and appended_at > timestamp_micros({{ settled_until }})
    and landed_at < (select max(landed_at) from {{ this }})
{%- endset -%}
{%- set settle -%}
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
{%- endset -%}
{%- if run_query(late ~ ' limit 1') | length > 0 -%}{%- do run_query(settle) -%}{%- endif -%}
alter table {{ this }} unset tblproperties ('watershed.settled_until')
{%- endmacro %}
