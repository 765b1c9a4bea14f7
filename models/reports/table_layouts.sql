{{ config(materialized='incremental_table', unique_key='layout_id', meta={'skipped_by': ['append_number']}) }}
{%- set step = new_appends('merge', "count_if(outcome = 'change' and row_image is not null)") -%}
{{ build_step(step.action, rows=step.rows, since=step.since, append=step.append) }}
-- depends_on: {{ ref('appends') }}, because its pre-hook changes which copies of late messages are changes
-- noqa: disable=LT02,LT09,ST05
with sent as (
    select
        source_name, format, database_name, schema_name, table_name, has_types, layout,
        max_by(key_columns, layout_order) filter (where key_columns is not null) as key_columns,
        max(layout_order) filter (where key_columns is not null) as key_order,
        min(layout_order) as first_order,
        max(layout_order) as last_order,
        min(landed_at) as first_landed_at,
        max(landed_at) as last_landed_at,
        count(*) as change_count,
        max(append_number) as append_number
    from {{ ref('column_layouts') }}
    where append_number > {{ step.since }}
    group by source_name, format, database_name, schema_name, table_name, has_types, layout
),

identified as (
    select
        sha2(to_json(struct(source_name, format, database_name, schema_name, table_name, has_types, layout)), 256)
            as layout_id,
        *
    from sent
    {%- if step.action == 'merge' %}
    union all
    select * from {{ this }}
    {%- endif %}
)

select
    layout_id, source_name, format, database_name, schema_name, table_name, has_types, layout,
    max_by(key_columns, key_order) filter (where key_columns is not null) as key_columns,
    max(key_order) as key_order,
    min(first_order) as first_order,
    max(last_order) as last_order,
    min(first_landed_at) as first_landed_at,
    max(last_landed_at) as last_landed_at,
    sum(change_count) as change_count,
    max(append_number) as append_number
from identified
group by layout_id, source_name, format, database_name, schema_name, table_name, has_types, layout
having max(append_number) > {{ step.since }}
