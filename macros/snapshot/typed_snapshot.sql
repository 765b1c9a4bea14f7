{% macro typed_snapshot(source_name, table_name, columns, database_name=none, schema_name=none, family=none) -%}
{#- Not in dbt_project.yml, because dbt rejects settings of a folder without models. -#}
{{ config(materialized='incremental_table', unique_key='row_id', docs={'node_color': '#a05195'}, meta={
    'removes_rows': true, 'skipped_by': ['append_number'], 'snapshot_of': {
        'source_name': source_name, 'table_name': table_name, 'database_name': database_name,
        'schema_name': schema_name, 'columns': columns | map(attribute='name') | list,
        'aliases': columns | map(attribute='aliases', default=[]) | sum(start=[]),
    },
}) }}
{%- set kinds = [] -%}
{%- for column in columns -%}
    {%- do kinds.append(value_kind(column, family) | trim) -%}
    {#- An Avro value has all fields of its schema; elsewhere a column may be missing because it did not change. -#}
    {%- if family != 'avro' and (column.aliases or column.get('default') is not none) -%}
        {{ exceptions.raise_compiler_error("typed_snapshot: 'default' and 'aliases' need the family 'avro'") }}
    {%- endif -%}
{%- endfor -%}
{%- set local_kinds = kinds | select('in', ['timestamp_text', 'local_millis', 'local_micros', 'local_nanos']) | list -%}
{%- set time_zone = source_time_zone(sql_text(source_name)) if local_kinds -%}
{%- set row_states = ref('row_states') -%}
{%- set place -%}
source_name = {{ sql_text(source_name) }} and table_name = {{ sql_text(table_name) }}
    {%- if database_name is not none %} and database_name = {{ sql_text(database_name) }}{% endif %}
    {%- if schema_name is not none %} and schema_name = {{ sql_text(schema_name) }}{% endif %}
{%- endset -%}
{%- set definition = typed_rows(columns, kinds, time_zone) -%}
{%- set step = snapshot_step(source_name, table_name, place, definition, local_kinds != []) -%}
{{ build_step(step.action, step.rows, step.since, step.append, step.definition_hash) }}
with rows as (
    select * from {{ row_states }}
    where {{ place }} and {{ step.is_changed if step.action == 'merge' else 'not is_deleted' }}
),

{{ definition }},
{%- if step.action == 'merge' %}
    changed_at, row_is_deleted
{%- else %}
    -- Later than in every build before, also for rows that have not changed since.
    greatest(
        (select max(newest.changed_at) from {{ row_states }} as newest), timestamp_micros({{ step.changed_at }})
    ) + interval 1 microsecond as changed_at
{%- endif %}
from typed
{%- endmacro %}
