{#-
    The current rows of one table with real column types. Casts never lie: what does not fit its type is null in its
    column and named in cast_failures, so a silent null cannot be taken for a real one.
-#}
{% macro typed_snapshot(source_name, table_name, columns, database_name=none, schema_name=none, family=none) -%}
{%- set kinds = [] -%}
{%- for column in columns -%}
    {%- do kinds.append(value_kind(column, family) | trim) -%}
    {#- An Avro value has all fields of its schema; elsewhere a column may be missing because it did not change. -#}
    {%- if family != 'avro' and (column.aliases or column.get('default') is not none) -%}
        {{ exceptions.raise_compiler_error("typed_snapshot: 'default' and 'aliases' need the family 'avro'") }}
    {%- endif -%}
{%- endfor -%}
{%- set reads_labels = 'enum_index' in kinds or 'set_mask' in kinds -%}
{%- set place = {
    'source_name': source_name, 'table_name': table_name, 'database_name': database_name, 'schema_name': schema_name,
} -%}
{#-
    Here and not in dbt_project.yml, where dbt refuses settings of a folder without a model. The meta is for the
    materialization, which reads it when the model is built.
-#}
{{ config(materialized='typed_snapshot', docs={'node_color': '#a05195'}, meta={
    'snapshot_of': dict(place, reads_time_zone='timestamp_text' in kinds),
}) }}
with rows as (
    select
        current_rows.*,
        read_columns(current_rows.row_image) as columns
        {%- if 'timestamp_text' in kinds %},
        {{ source_time_zone(sql_text(source_name)) | indent(8) }} as time_zone
        {%- endif %}
        {%- if reads_labels %},
        read_columns(changelog.source_metadata['column_types']) as declared_types
        {%- endif %}
    from {{ ref('current_rows') }} as current_rows
    {%- if reads_labels %}
    left join {{ ref('changelog') }} as changelog on current_rows.last_change_id = changelog.change_id
    {%- endif %}
    where
    {%- for name, value in place.items() if value is not none %}
        {{ 'and ' if not loop.first }}current_rows.{{ name }} = {{ sql_text(value) }}
    {%- endfor %}
),

typed as (
    select
        row_key, columns, last_change_id, sequence_number, event_at
    {%- for column in columns %},
        {{ typed_column(column, kinds[loop.index0]) | indent(8) }} as {{ identifier(column) }}
    {%- endfor %}
    from rows
)

select
{%- for column in columns %}
    {{ identifier(column) }},
    {%- if column.keep_text %}
    {{ column_text(column) | indent(4) }} as {{ identifier({'name': (column.alias or column.name) ~ '_text'}) }},
    {%- endif %}
{%- endfor %}
    {{ cast_failures(columns, kinds) | indent(4) }} as cast_failures,
    row_key, last_change_id, sequence_number, event_at
from typed
{%- endmacro %}
