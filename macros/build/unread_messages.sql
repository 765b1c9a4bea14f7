{#-
    A select of the unread messages, counted by format, batch and source: landed messages that are neither in the
    manifest (`appends`) nor, after a build that was killed before it recorded its append, in `events`. Batches are
    compared individually and not with a watermark, so a batch that commits late is not skipped. `model` is the format
    whose staging model reads them, 'unsupported' for formats without one.
-#}
{% macro unread_messages(has_appends=true, since=none, is_rebuild=false) -%}
{%- set events, appends = model_relation('events'), model_relation('appends') -%}
with landed as (
    select format, batch_id, source_name, count(*) as messages from {{ source('landing', 'messages') }}
    group by format, batch_id, source_name
),

already_read as (
    {%- if is_rebuild %}
    select null as format, null as batch_id, null as source_name, 0 as messages
    where false
    {%- else %}
    select format, batch_id, source_name, sum(messages) as messages from (
        {%- if has_appends %}
        select format, batch_id, source_name, messages_read as messages from {{ appends }}
        union all
        {%- endif %}
        select format, batch_id, source_name, if(event_index = 0, 1, 0) as messages from {{ events }}
        where append_number > {{ '(select coalesce(max(append_number), 0) from ' ~ appends ~ ')' if since is none
            else since }}
    )
    group by format, batch_id, source_name
    {%- endif %}
)

select
    if({{ is_format_with('landed.format') }}, landed.format, 'unsupported') as model,
    landed.format,
    landed.batch_id,
    landed.source_name,
    landed.messages - coalesce(already_read.messages, 0) as messages
from landed
left join already_read
    on landed.format <=> already_read.format
        and landed.batch_id <=> already_read.batch_id
        and landed.source_name <=> already_read.source_name
where landed.messages > coalesce(already_read.messages, 0)
{%- if not is_rebuild %} and landed.batch_id is not null{% endif %}
{%- endmacro %}
