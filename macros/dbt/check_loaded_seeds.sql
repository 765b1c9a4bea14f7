{#-
    Stops a run that would read seed tables that differ from their files, because a changed key, time zone or order must
    not be ignored silently. Seeds of the same build are loaded before their readers and are not compared.
-#}
{% macro check_loaded_seeds(names) -%}
{%- for name in names if execute and flags.WHICH in ('run', 'build') -%}
    {%- set seed = graph.nodes['seed.' ~ model.package_name ~ '.' ~ name] -%}
    {%- if seed.unique_id not in selected_resources -%}
        {%- set table = load_cached_relation(model_relation(name)) -%}
        {%- set version = seed_version(name) -%}
        {%- set problem = 'has not been loaded' if table is none
            else 'has more than 1 MiB, so dbt cannot compare it with its table' if version is none
            else 'has changed since it was loaded' if made_from_in(table) != version
            else none -%}
        {%- if problem -%}
            {{ exceptions.raise_compiler_error(
                seed.original_file_path ~ ' ' ~ problem ~ '. This run would read the table ' ~ model_relation(name)
                ~ ' instead. Load the file with this run (dbt build --selector increment, or dbt build --select '
                ~ model.name ~ ' ' ~ names | join(' ') ~ ')' ~ (', or before it (dbt seed).' if version else '.')
            ) }}
        {%- endif -%}
    {%- endif -%}
{%- endfor -%}
{%- endmacro %}
