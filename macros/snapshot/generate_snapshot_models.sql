{#-
    dbt run-operation generate_snapshot_models --args '{source_name: .., table_name: ..}': prints the typed snapshots of
    the tables that messages have told of. `watershed snapshots` writes them into models/typed_snapshots/generated.
-#}
{% macro generate_snapshot_models(source_name=none, table_name=none, as_json=false) -%}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set tables = [] -%}
{%- for seen in run_query(seen_tables()).columns[0].values() -%}{%- do tables.append(fromjson(seen)) -%}{%- endfor -%}
{%- set made = [] -%}
{%- for table in tables
    if source_name in (none, table.source_name) and table_name in (none, table.table_name) -%}
    {%- set of_one_name = [] -%}
    {%- for other in tables if other.source_name == table.source_name and other.table_name == table.table_name -%}
        {%- do of_one_name.append(other) -%}
    {%- endfor -%}
    {#- Only where a source has the name twice do database and schema tell the tables apart. -#}
    {%- set places = [table.get('database_name') or '', table.get('schema_name') or ''] -%}
    {%- set names = [] -%}
    {%- for part in [table.source_name] + (places if of_one_name | length > 1 else []) + [table.table_name] -%}
        {%- do names.append(safe_name(part)) -%}
    {%- endfor -%}
    {%- do made.append(generated_files(table, 'snapshot_' ~ names | join('__'))) -%}
{%- endfor -%}
{%- if as_json -%}
    {%- do print('generated snapshots: ' ~ tojson(made)) -%}
{%- else -%}
    {%- for model in made -%}
        {%- for file, text in model.files.items() -%}
            {%- do print('\n==> models/typed_snapshots/generated/' ~ file ~ ' <==\n' ~ text) -%}
        {%- endfor -%}
    {%- endfor -%}
{%- endif -%}
{%- endmacro %}
