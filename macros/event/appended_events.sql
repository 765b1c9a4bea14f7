{#- What earlier runs appended to the model at hand; no row on its first run and on a full refresh. -#}
{% macro appended_events() -%}
{%- if is_incremental() -%}
select change_id, batch_id, topic, partition, offset, outcome, appended_at from {{ this }}
{%- else -%}
select
    cast(null as string) as change_id,
    cast(null as string) as batch_id,
    cast(null as string) as topic,
    cast(null as int) as partition,
    cast(null as bigint) as offset,
    cast(null as string) as outcome,
    cast(null as timestamp) as appended_at
where false
{%- endif -%}
{%- endmacro %}
