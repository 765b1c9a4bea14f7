{#-
    The current rows of one table with real column types. Casts never lie: what does not fit its type is null in its
    column and named in cast_failures, so a silent null cannot be taken for a real one.
-#}
{% macro typed_snapshot(source_name, table_name, columns, database_name=none, schema_name=none) -%}
with rows as (
    select
        row_key,
        read_columns(row_image) as columns,
        last_change_id,
        sequence_number,
        event_at
    from {{ ref('current_rows') }}
    where source_name = {{ sql_text(source_name) }}
        and table_name = {{ sql_text(table_name) }}
    {%- if database_name is not none %}
        and database_name = {{ sql_text(database_name) }}
    {%- endif %}
    {%- if schema_name is not none %}
        and schema_name = {{ sql_text(schema_name) }}
    {%- endif %}
),

typed as (
    select
        row_key,
        columns,
    {%- for column in columns %}
        {{ typed_value('columns[' ~ sql_text(column.name) ~ ']', column.type) }} as {{ identifier(column) }},
    {%- endfor %}
        last_change_id,
        sequence_number,
        event_at
    from rows
)

select
{%- for column in columns %}
    {{ identifier(column) }},
{%- endfor %}
    array_compact(array(
    {%- for column in columns %}
        if(columns[{{ sql_text(column.name) }}] is not null and {{ identifier(column) }} is null, {{ sql_text(column.name) }}, null)
        {{- "," if not loop.last }}
    {%- endfor %}
    )) as cast_failures,
    row_key,
    last_change_id,
    sequence_number,
    event_at
from typed
{%- endmacro %}
