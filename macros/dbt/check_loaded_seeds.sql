{#- A changed key, time zone or order must not be ignored silently. Seeds of the same build are loaded before their
    readers and are not compared. -#}
{% macro check_loaded_seeds(names) -%}
{%- for name in names if execute and flags.WHICH in ('run', 'build') and model.resource_type != 'unit_test' -%}
    {%- set seed = graph.nodes['seed.' ~ model.package_name ~ '.' ~ name] -%}
    {%- set table, version = this.incorporate(path={'identifier': name}), seed_version(name) -%}
    {%- if seed.unique_id not in selected_resources
        and (not version or stored_definition_hash(load_cached_relation(table)) != version) -%}
        {{ exceptions.raise_compiler_error(
            seed.original_file_path ~ (' has changed since it was loaded, or was never loaded' if version else
            ' has more than 1 MiB, so dbt cannot compare it with its table') ~ '. This run would read ' ~ table ~ '. '
            ~ 'Load the file with this run (dbt build --selector increment, or dbt build --select ' ~ model.name ~ ' '
            ~ names | join(' ') ~ ')' ~ (', or before it (dbt seed).' if version else '.')
        ) }}
    {%- endif -%}
{%- endfor -%}
{%- endmacro %}
