{#- Each cell is trimmed and cast to the column type in the YAML, null if it does not fit. -#}
{% macro create_seed(rows, hash) -%}
{%- do check_seed_columns(model, rows.column_names) -%}
{%- set types, cells = config.get('column_types', {}), [] -%}
{%- for row in rows.rows -%}{%- do cells.append(row | map('default', '', true) | map('trim') | list) -%}{%- endfor -%}
create or replace table {{ this }}
    {{ file_format_clause() }}
    {{ comment_clause() }}
    {{ spark__tblproperties_clause(hash) }}
as
select
    {%- for name in rows.column_names %}
    try_cast(nullif(cells[{{ loop.index0 }}], '') as {{ types[name] }}) as {{ name }}{{ "," if not loop.last }}
    {%- endfor %}
from (select explode(from_json({{ sql_text(tojson(cells)) }}, 'array<array<string>>')) as cells)
{%- endmacro %}
