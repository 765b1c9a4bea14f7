{#-
    A hash of a seed's file and its YAML from dbt's manifest, so that neither the file nor its table is read. None for a
    file of more than 1 MiB, which dbt does not hash.
-#}
{% macro seed_version(name) -%}
    {%- set seed = graph.nodes['seed.' ~ model.package_name ~ '.' ~ name] -%}
    {%- set parts = [seed.checksum.checksum, seed.config.column_types, seed.description, seed.columns | list] -%}
    {%- do parts.append(seed.columns.values() | map(attribute='description') | list) -%}
    {{ return(local_md5(tojson(parts, sort_keys=true)) if seed.checksum.name == 'sha256' else none) }}
{%- endmacro %}
