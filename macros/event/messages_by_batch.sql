{#-
    The messages of landing beside the events of them, a row for each format ('unsupported' stands for all without a
    staging model), batch and source that has messages which events has not read, and one row of all others, in which
    these are null. A batch is unread while it has fewer first events than messages. With `behind` only of batches
    with a greater id (a literal: Delta skips the files of others), and, of the tables' logs, how many there are in all.
-#}
{% macro messages_by_batch(behind=none) -%}
{%- set query -%}
with counted as (
    select
        format, batch_id, source_name, sum(messages) as messages, sum(events) as events, min(landed_at) as landed_at,
        max(read_at) as read_at, max(appended_at) as appended_at,
        {{ 'batch_id is not null and ' if is_incremental() }}sum(messages) > sum(first_events) as is_unread
    from (
        select
            format, batch_id, source_name, 1 as messages, 0 as events, 0 as first_events, landed_at,
            cast(null as timestamp) as read_at, cast(null as timestamp) as appended_at
        from {{ source('landing', 'messages') }}
        {%- if is_incremental() %}
        union all
        select
            format, batch_id, source_name, 0 as messages, 1 as events, if(event_index = 0, 1, 0) as first_events,
            cast(null as timestamp) as landed_at, landed_at as read_at, appended_at
        from {{ this }}
        {%- endif %}
    )
    {{ 'where batch_id > ' ~ sql_text(behind) if behind is not none }}
    group by format, batch_id, source_name
)

select
    is_unread,
    if(is_unread, if({{ is_format_with('format') }}, format, 'unsupported'), null) as format,
    if(is_unread, batch_id, null) as batch_id,
    if(is_unread, source_name, null) as source_name,
    count(*) as batches,
    sum(messages) as messages,
    sum(events) as events,
    max(batch_id) as last_batch_id,
    unix_micros(min(landed_at)) as landed_at,
    unix_micros(max(read_at)) as read_at,
    unix_micros(max(appended_at)) as appended_at
from counted
group by is_unread, 2, 3, 4
{%- if behind is not none %}
union all
select null, null, null, null, null, (select count(*) from {{ source('landing', 'messages') }}),
    (select count(*) from {{ this }}), null, null, null, null
{%- endif %}
{%- endset -%}
{%- set groups, all = [], {} -%}
{%- for row in run_query(query).rows -%}
    {%- set group = row.dict() -%}
    {%- for name in ('batches', 'messages', 'events', 'landed_at', 'read_at', 'appended_at') -%}
        {%- do group.update({name: (group[name] or 0) | int}) -%}
    {%- endfor -%}
    {%- do all.update(group) if group.is_unread is none else groups.append(group) -%}
{%- endfor -%}
{{ return({'groups': groups, 'all': [all.messages, all.events]}) }}
{%- endmacro %}
