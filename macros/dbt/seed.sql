{#- dbt-spark drops, creates and inserts. In one statement, readers never miss the table, a killed run leaves the old
    one, and two concurrent runs do not both insert. -#}
{% materialization seed, adapter='spark' %}
    {%- set existing, rows, cells = load_cached_relation(this), load_agate_table(), [] -%}
    {%- if existing is not none and existing.is_view -%}
        {{ exceptions.raise_compiler_error('The seed ' ~ model.name ~ ' has the name of a view. Drop it: ' ~ this) }}
    {%- endif -%}
    {%- do store_result('agate_table', response='OK', agate_table=rows) -%}
    {%- set version = seed_version(model.name)
        or definition_hash([config.get('column_types'), rows.column_names, rows.rows | map('list') | list] | string) -%}
    {{ run_hooks(pre_hooks) }}
    {%- if existing is not none and not should_full_refresh() and stored_definition_hash(existing) == version -%}
        {%- call noop_statement('main', 'OK unchanged') %}{% endcall -%}
    {%- else -%}
        {%- do check_seed_columns(model, rows.column_names) -%}
        {%- for row in rows.rows -%}
            {%- do cells.append(row | map('default', '', true) | map('trim') | list) -%}
        {%- endfor -%}
        {%- call statement('main') -%}
            create or replace table {{ this }} {{ file_format_clause() }} {{ comment_clause() }}
                {{ spark__tblproperties_clause(version) }} as
            select
                {%- for name in rows.column_names %}
                try_cast(nullif(cells[{{ loop.index0 }}], '') as {{ config.get('column_types')[name] }}) as {{ name }}
                {{- "," if not loop.last }}
                {%- endfor %}
            from (select explode(from_json({{ sql_text(tojson(cells)) }}, 'array<array<string>>')) as cells)
        {%- endcall -%}
        {%- set notice = config.get('meta', {}).when_changed -%}
        {%- if notice and existing is not none and not should_full_refresh() -%}
            {%- do log(model.original_file_path ~ ' has changed. ' ~ notice, info=true) -%}
        {%- endif -%}
        {%- do persist_docs(this, model) -%}
    {%- endif -%}
    {{ run_hooks(post_hooks) }}
    {{ return({'relations': [this.incorporate(type='table')]}) }}
{% endmaterialization %}
