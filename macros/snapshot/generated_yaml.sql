{#- The description of a generated snapshot, with its tests. -#}
{% macro generated_yaml(table, name, columns, kept) -%}
{%- set path = [table.get('database_name'), table.get('schema_name'), table.table_name] | select | join('.') -%}
{%- set about = 'Current rows of the table ' ~ path ~ ' of source ' ~ table.source_name
    ~ ' with the types that its messages tell, one row per key.' -%}
{%- set lines = [
    'models:',
    '  - name: ' ~ name,
    '    description: ' ~ yaml_text(about),
    '    config:',
    '      meta: {grain: row key}',
    '    data_tests:',
    '      - unique_combination:',
    '          arguments: {columns: [row_key]}',
    '      - has_no_cast_failures:',
    '          arguments:',
    '            except_columns:' ~ (' []' if not kept else ''),
] -%}
{%- for column in kept -%}{%- do lines.append("              - '" ~ column | replace("'", "''") ~ "'") -%}{%- endfor -%}
{%- do lines.append('    columns:') -%}
{%- for column, description in columns -%}
    {%- do lines.append('      - {name: "' ~ column ~ '", description: ' ~ description ~ '}') -%}
{%- endfor -%}
{{ return(lines | join('\n') ~ '\n') }}
{%- endmacro %}
