{#- The two files of a generated snapshot, each under a line with the checksum of what follows. -#}
{% macro generated_files(table, name) -%}
{%- set family = snapshot_family(table) -%}
{%- set taken = ['columns', 'cast_failures', 'row_key', 'last_change_id', 'sequence_number', 'event_at'] -%}
{%- set sql = ['{{ typed_snapshot(' ~ jinja_text(table.source_name) ~ ', ' ~ jinja_text(table.table_name) ~ ','] -%}
{%- for place in ('database_name', 'schema_name') if table.get(place) is not none -%}
    {%- do sql.append('    ' ~ place ~ '=' ~ jinja_text(table[place]) ~ ',') -%}
{%- endfor -%}
{%- do sql.extend((['    family=' ~ jinja_text(family) ~ ','] if family else []) + ['    columns=[']) -%}
{%- set columns, kept, reports = [], [], [] -%}
{%- for column in table.columns -%}
    {%- set made = generated_column(column, family, taken) -%}
    {%- set parts = [] -%}
    {%- for key in ('name', 'type', 'alias', 'default') if key in made -%}
        {%- do parts.append("'" ~ key ~ "': " ~ jinja_text(made[key])) -%}
    {%- endfor -%}
    {%- set aliases = [] -%}
    {%- for older in made.aliases or [] -%}{%- do aliases.append(jinja_text(older)) -%}{%- endfor -%}
    {%- if aliases -%}{%- do parts.append("'aliases': [" ~ aliases | join(', ') ~ ']') -%}{%- endif -%}
    {%- do sql.append('        {' ~ (parts + (["'keep_text': true"] if made.keep_text else [])) | join(', ') ~ '},') -%}
    {%- set key = 'Part of the key. ' if column.name in (table.key_columns or []) else '' -%}
    {%- set said = 'of type ' ~ column.type if column.type else 'without a type in the messages' -%}
    {%- set shown = made.alias or made.name -%}
    {%- do columns.append([shown, yaml_text(key ~ 'Column ' ~ column.name ~ ' of the source, ' ~ said ~ '.')]) -%}
    {%- if made.keep_text -%}
        {%- do columns.append([shown ~ '_text', yaml_text('The value of ' ~ shown ~ ' as sent.')]) -%}
        {%- do kept.append("{{ " ~ jinja_text(made.name) ~ " }}") -%}
    {%- endif -%}
    {%- for refused in column.refused or [] -%}
        {%- do reports.append(
            {'column': column.name, 'kept': column.type or '', 'change': refused.change, 'type': refused.type}
        ) -%}
    {%- endfor -%}
{%- endfor -%}
{%- do sql.append('    ],\n) }}\n') -%}
{%- for column in ('cast_failures', 'row_key', 'last_change_id', 'sequence_number', 'event_at') -%}
    {%- do columns.append([column, '"{{ doc(' ~ "'" ~ column ~ "'" ~ ') }}"']) -%}
{%- endfor -%}
{%- set yaml = generated_yaml(table, name, columns, kept) -%}
{%- set text = sql | join('\n') -%}
{%- set note = 'Written by watershed snapshots, anew while nobody edits it; checksum ' -%}
{{ return({'name': name, 'reports': reports, 'files': {
    name ~ '.sql': '{#- ' ~ note ~ local_md5(text) ~ ' -#}\n' ~ text,
    name ~ '.yml': '# ' ~ note ~ local_md5(yaml) ~ '\n' ~ yaml,
}}) }}
{%- endmacro %}
