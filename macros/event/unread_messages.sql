{#-
    How many messages events has not read yet, by format ('unsupported' stands for all without a staging model), batch and
    source, and whether one of them landed before the newest that was read. Asked once a run: a hook that asks before the
    append gets the same answer. A batch is unread while it has fewer first events than messages. Batches are compared one
    by one, not with a watermark, so a batch that commits late is read late and not skipped.
-#}
{% macro unread_messages() -%}
{%- if 'unread_messages' not in run_notes() -%}
{%- do compile_if_large() -%}
{%- set query -%}
select
    if({{ is_format_with('landed.format') }}, landed.format, 'unsupported') as format,
    landed.batch_id,
    landed.source_name,
    landed.messages,
    {{ 'landed.landed_at < (select max(landed_at) from ' ~ this ~ ')' if is_incremental() else 'false' }} as is_late
from (
    select format, batch_id, source_name, count(*) as messages, min(landed_at) as landed_at
    from {{ source('landing', 'messages') }}
    group by format, batch_id, source_name
) as landed
    {%- if is_incremental() %}
left join (
    select format, batch_id, source_name, count(*) as messages
    from {{ this }}
    where event_index = 0
    group by format, batch_id, source_name
) as known
    on landed.batch_id = known.batch_id
        and landed.source_name <=> known.source_name
        and landed.format <=> known.format
where landed.batch_id is not null and landed.messages > coalesce(known.messages, 0)
    {%- endif %}
{%- endset -%}
{%- do run_notes().update({'unread_messages': run_query(query)}) -%}
{%- if run_notes().unread_messages.columns[3].values() | sum > var('few_events') -%}
    {%- do run_notes().update({'is_large': true}) -%}
    {%- do compile_if_large() -%}
{%- endif -%}
{%- endif -%}
{{ return(run_notes().unread_messages) }}
{%- endmacro %}
