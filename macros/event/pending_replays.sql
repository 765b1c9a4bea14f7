{#- The messages that were asked to be read again and have not been since; no row if nobody ever asked. -#}
{% macro pending_replays(events) -%}
{%- set requests = load_relation(api.Relation.create(schema=events.schema, identifier='replay_requests')) -%}
{%- if requests is none -%}
select
    cast(null as string) as batch_id,
    cast(null as string) as topic,
    cast(null as int) as partition,
    cast(null as bigint) as offset,
    cast(null as timestamp) as requested_at
where false
{%- else -%}
select requests.* from {{ requests }} as requests
left anti join {{ events }} as events
    on requests.batch_id = events.batch_id
        and requests.topic <=> events.topic
        and requests.partition <=> events.partition
        and requests.offset <=> events.offset
        and requests.requested_at < events.appended_at
{%- endif -%}
{%- endmacro %}
