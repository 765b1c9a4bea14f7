{#-
    Creates the table of a seed with its rows; each cell is trimmed and cast to the column type in the YAML, null if it
    does not fit.
-#}
{% macro create_seed(rows, hash) -%}
{%- do check_seed_columns(model, rows.column_names) -%}
{%- set types = config.get('column_types', {}) -%}
create or replace table {{ this }}
    {{ file_format_clause() }}
    {{ comment_clause() }}
    {{ table_properties(hash, file_properties()) }}
as
select
    {%- for name in rows.column_names %}
    try_cast({{ name }} as {{ types.get(name, 'string') }}) as {{ name }}{{ "," if not loop.last }}
    {%- endfor %}
from values
    {%- for row in rows.rows %}
    (
        {%- for cell in row -%}
        {%- set text = '' if cell is none else cell | string | trim -%}
        {{ sql_text(text) if text else 'null' }}{{ ", " if not loop.last }}
        {%- endfor -%}
    )
        {{- "," if not loop.last }}
    {%- else %}
    ({% for name in rows.column_names %}null{{ ", " if not loop.last }}{% endfor %})
    {%- endfor %}
    as seed_rows ({{ rows.column_names | join(', ') }})
{{ 'where false' if rows.rows | length == 0 }}
{%- endmacro %}
