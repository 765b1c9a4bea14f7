{#-
    Re-ranks duplicates after a late-arriving batch or a replay: of the copies of a change, the one that landed first
    becomes the change, even if a later copy was read before it. A post-hook of events, because an append cannot change
    rows of earlier appends. It reads the duplicates of appends that the manifest does not have yet, so the build after
    a killed one repairs them.
-#}
{% macro settle_copies() -%}
{%- set appends = model_relation('appends') -%}
{%- if not can_continue() or not is_own_table(load_cached_relation(appends)) -%}{{ return('') }}{%- endif -%}
{%- set not_recorded -%}
select coalesce(max(append_number), 0) as until, unix_micros(max(last_landed_at)) as landed_at from {{ appends }}
having until < (select max(append_number) from {{ this }})
{%- endset -%}
{%- set recorded = run_query(not_recorded).rows | first -%}
{%- if not recorded -%}{{ return('') }}{%- endif -%}
{%- set late -%}
select change_id from {{ this }}
where outcome = 'duplicate'
    and append_number > {{ recorded.until }}
    and landed_at < greatest(timestamp_micros({{ recorded.landed_at or 'null' }}), (
        -- Of several unrecorded appends, all but the newest are earlier ones.
        select max(earlier.landed_at) from {{ this }} as earlier
        where earlier.append_number > {{ recorded.until }}
            and earlier.append_number
                < (select max(append_number) from {{ this }} where append_number > {{ recorded.until }})
    ))
{%- endset -%}
{%- set settle -%}
merge into {{ this }} as events
using (
    select
        *,
        -- Copies at the same position of one batch are indistinguishable and stay unchanged.
        max(same_place) over (partition by change_id) as most_at_one_place
    from (
        select
            change_id, batch_id, source_name, topic, partition, offset, event_index,
            row_number() over (
                partition by change_id order by landed_at, batch_id, topic, partition, offset, event_index
            ) as copy_number,
            count(*) over (partition by change_id, batch_id, topic, partition, offset, event_index) as same_place
        from {{ this }}
        where outcome <> 'quarantined' and change_id in ({{ late }})
    )
) as copies
on events.change_id = copies.change_id
    and {{ is_same_message('events', 'copies') | indent(4) }}
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
{%- endmacro %}
