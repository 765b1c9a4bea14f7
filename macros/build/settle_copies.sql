{#- A hook of `appends`, because an append to events cannot change rows of earlier appends. It reads the duplicates of
    appends that the manifest does not have yet, so the build after a killed one repairs them. -#}
{% macro settle_copies() -%}
{%- set events, step = ref('events'), build_step_of(sql) if execute else {} -%}
{#- Before the first append there was no other. -#}
{%- if step.action not in ('append', 'rebuild') or step.append < 2 -%}{{ return('') }}{%- endif -%}
{%- set late -%}
select change_id from {{ events }}
where outcome = 'duplicate' and append_number > {{ step.since }} and append_number <= {{ step.append }}
    -- Of several unrecorded appends, all but the newest are earlier ones. A replayed message may be of the newest
    -- recorded batch; every other new batch landed later.
    and landed_at <= greatest({{ '(select max(last_landed_at) from ' ~ this ~ ')' if step.since else 'null' }}, (
        select max(landed_at) from {{ events }}
        where append_number > {{ step.since }} and append_number < {{ step.append }}
    ))
{%- endset -%}
{%- set settle -%}
merge into {{ events }} as events
using (
    select * from (
        select
            change_id, batch_id, source_name, topic, partition, offset, event_index,
            row_number() over (
                partition by change_id order by landed_at, batch_id, topic, partition, offset, event_index
            ) as copy_number,
            size(collect_set(struct(batch_id, topic, partition, offset, event_index)) over (partition by change_id))
            = count(*) over (partition by change_id) as are_distinct
        from {{ events }}
        where outcome <> 'quarantined' and change_id in ({{ late }})
    )
    -- Copies at the same position of one batch are indistinguishable and stay unchanged.
    where are_distinct
) as copies
on events.change_id = copies.change_id
    and {{ is_same_message('events', 'copies') | indent(4) }}
    and events.event_index = copies.event_index
    and events.outcome <> 'quarantined'
when matched and (events.outcome = 'duplicate') = (copies.copy_number = 1)
    then update set outcome = case
        when copies.copy_number > 1 then 'duplicate'
        when events.change_type is not null then 'change'
        else 'control'
    end
{%- endset -%}
{%- do run_query(settle) if run_query(late ~ ' limit 1') | length > 0 -%}
{%- endmacro %}
