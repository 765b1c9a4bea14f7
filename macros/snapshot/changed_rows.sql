{#-
    The rows whose state was appended behind a time (microseconds), in the shape of current_rows; those that do not live
    have neither image nor change. What lives is as current_rows says it.
-#}
{% macro changed_rows(since) -%}
with truncates as (
    select
        source_name,
        format,
        database_name,
        schema_name,
        table_name,
        collect_list(struct(is_by_position, topic, partition, change_order, event_at)) as all_of_table
    from {{ model_relation('table_truncates') }}
    group by source_name, format, database_name, schema_name, table_name
),

judged as (
    select
        states.*,
        not states.is_deleted and not coalesce(
            exists(truncates.all_of_table, one -> {{ is_emptied('states', 'one') | indent(12) }}), false
        ) as is_live
    from {{ model_relation('row_states') }} as states
    left join truncates
        on states.source_name = truncates.source_name
            and states.format = truncates.format
            and states.database_name <=> truncates.database_name
            and states.schema_name <=> truncates.schema_name
            and states.table_name <=> truncates.table_name
    where states.appended_at > timestamp_micros({{ since }} + 1000)
)

select
    source_name,
    database_name,
    schema_name,
    table_name,
    row_key,
    if(is_live, row_image, null) as row_image,
    if(is_live, last_change_id, null) as last_change_id,
    sequence_number,
    event_at
from judged
{%- endmacro %}
