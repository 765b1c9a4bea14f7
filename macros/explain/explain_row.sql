{#-
    dbt run-operation explain_row --args '{source_name: .., table_name: .., row_key: "{\"id\":1}"}': explains how a row
    got its current content. Without database_name or schema_name it prints the row of each database or schema.
-#}
{% macro explain_row(source_name, table_name, row_key, database_name=none, schema_name=none) -%}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- if row_key is not string -%}
    {{ exceptions.raise_compiler_error(
        "explain_row: row_key must be a text, as in current_rows; found "
        ~ ('a mapping' if row_key is mapping else 'the value ' ~ row_key) ~ ". Put it in quotes: "
        ~ "--args '{source_name: .., table_name: .., row_key: \"{\\\"id\\\":1}\"}'"
    ) }}
{%- endif -%}
{%- set wanted -%}
source_name = {{ sql_text(source_name) }} and table_name = {{ sql_text(table_name) }}
{%- for name, value in {'database_name': database_name, 'schema_name': schema_name}.items() if value is not none %}
and {{ name }} = {{ sql_text(value) }}
{%- endfor -%}
{%- endset -%}
{%- set rows = run_query(
    'select hex(row_id) as row_id, format, database_name, schema_name from ' ~ ref('row_states') ~ ' where ' ~ wanted
    ~ ' and row_key = ' ~ sql_text(row_key) ~ ' order by all'
).rows -%}
{%- if rows | length == 0 -%}
    {{ exceptions.raise_compiler_error(
        "explain_row: no row with " ~ wanted ~ " and row_key = " ~ row_key ~ ". Keys are JSON as in current_rows: "
        ~ "names in order, no spaces, numbers and texts as in the image. Look at: select row_key from "
        ~ ref('row_states') ~ " where " ~ wanted
    ) }}
{%- endif -%}
{%- for row in rows -%}
    {%- set changes = run_query(explained_changes(source_name, table_name, row.row_id)).rows -%}
    {%- do print(
        '\nRow ' ~ row_key ~ ' of ' ~ [row.database_name, row.schema_name, table_name] | select | join('.')
        ~ ' (source ' ~ source_name ~ ', format ' ~ row.format ~ ')\n\n'
        ~ text_table(
            [
                '#', 'change', 'image', 'sequence', 'serial', 'event_at', 'position', 'copies', 'decided by', 'part',
                'truncates',
            ],
            changes
        )
        ~ '\n\n' ~ explained_result(changes)
    ) -%}
{%- endfor -%}
{%- endmacro %}
