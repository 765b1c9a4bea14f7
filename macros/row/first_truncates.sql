{#- The truncates of tables. Copies of one stand at several positions: the first position is its own. Formats without a
    sequence empty a table partition by partition. -#}
{% macro first_truncates() -%}
select
    source_name,
    format,
    database_name,
    schema_name,
    table_name,
    change_order.sequence is null as is_by_position,
    change_id,
    min(struct(change_order, event_at)) as first_copy
from {{ ref('events') }}
where outcome in ('change', 'duplicate')
    and change_type = 'truncate'
    -- Every truncate has a kind; Delta skips the files without one.
    and ddl_kind is not null
group by
    source_name, format, database_name, schema_name, table_name, is_by_position,
    if(change_order.sequence is null, change_order.topic, null),
    if(change_order.sequence is null, change_order.partition, null),
    change_id
{%- endmacro %}
