{#-
    Gives a message that was read again the outcome that it would have had on first sight: of the copies of a change the
    one that landed first is the change, also if a later one could be read before it. It looks at what the last run
    appended, and is empty where no replayed event became a duplicate.
-#}
{% macro settle_replayed() -%}
{%- set requests = load_relation(api.Relation.create(schema=this.schema, identifier='replay_requests')) -%}
{%- if execute and is_incremental() and flags.WHICH in ('run', 'build') and requests is not none -%}
    {%- set replayed -%}
select distinct events.change_id
from {{ this }} as events
inner join {{ requests }} as requests
    on events.batch_id = requests.batch_id
        and events.topic <=> requests.topic
        and events.partition <=> requests.partition
        and events.offset <=> requests.offset
where events.outcome = 'duplicate'
    and events.appended_at = (select max(appended_at) from {{ this }})
    {%- endset -%}
    {%- if run_query(replayed ~ ' limit 1') | length > 0 -%}
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
        where outcome <> 'quarantined' and change_id in ({{ replayed }})
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
{%- endif -%}
{%- endmacro %}
