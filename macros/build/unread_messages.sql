{#- In `events` but not in the manifest: a build was killed before it recorded its append. Batches are compared
    individually and not with a watermark, so a batch that commits late is not skipped. -#}
{% macro unread_messages(since=none, is_rebuild=false) -%}
{%- set appends = this.incorporate(path={'identifier': 'appends'}) -%}
select
    if({{ is_format_with('format') }}, format, 'unsupported') as model, format, batch_id, source_name,
    sum(messages) as messages
from (
    select format, batch_id, source_name, 1 as messages from {{ source('landing', 'messages') }}
    {%- if not is_rebuild %}
    where batch_id is not null
    {%- if since != 0 %}
    union all
    select format, batch_id, source_name, -messages_read from {{ appends }}
    {%- endif %}
    union all
    select format, batch_id, source_name, -1 from {{ this.incorporate(path={'identifier': 'events'}) }}
    where event_index = 0 and append_number > {{ since if since is not none
        else '(select coalesce(max(append_number), 0) from ' ~ appends ~ ')' }}
    {%- endif %}
)
group by format, batch_id, source_name
having sum(messages) > 0
{%- endmacro %}
