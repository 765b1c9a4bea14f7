{#- Read from dbt's graph, because a model cannot see other models. -#}
{% macro typed_snapshot_models() -%}
{%- set models = [] -%}
{%- set nodes = graph.nodes.values() | sort(attribute='unique_id') if execute else [] -%}
{%- for node in nodes if node.config.meta.snapshot_of -%}
    {%- set place, meta = node.config.meta.snapshot_of, node.config.meta -%}
    {%- set row -%}
    (
        {{ sql_text(node.name) }},
        {%- for part in ('source_name', 'database_name', 'schema_name', 'table_name') %}
        {{ 'cast(null as string)' if place[part] is none else sql_text(place[part]) }},
        {%- endfor %}
        cast(array({{ sql_texts(place.columns + place.aliases + (meta.leaves_out or [])) }}) as array<string>),
        {{ '/typed_snapshots/generated/' in '/' ~ node.original_file_path }}
    )
    {%- endset -%}
    {%- do models.append(row) -%}
{%- endfor -%}
select *
from values
    {{ models | join(',') or '(' ~ 'cast(null as string), ' * 5 ~ 'array(cast(null as string)), false)' }}
    as models (model_name, source_name, database_name, schema_name, table_name, known_columns, is_generated)
where model_name is not null
{%- endmacro %}
