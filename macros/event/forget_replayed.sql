{#-
    Deletes the events of messages that were asked to be read again, just before events reads them. If the run dies in
    between, the messages have no events, and the next run reads them.
-#}
{% macro forget_replayed() -%}
{%- if execute and is_incremental() and flags.WHICH in ('run', 'build') -%}
    {%- set pending = run_query(pending_replays(this)) -%}
    {%- if pending | length > 0 -%}
merge into {{ this }} as events
using (select distinct batch_id, topic, partition, offset from ({{ pending_replays(this) }})) as pending
    on events.batch_id = pending.batch_id
        and events.topic <=> pending.topic
        and events.partition <=> pending.partition
        and events.offset <=> pending.offset
when matched then delete
    {%- endif -%}
{%- endif -%}
{%- endmacro %}
