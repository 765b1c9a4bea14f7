{#-
    A hash of a seed's file and its YAML from dbt's manifest, so that neither the file nor its table is read. None for a
    file of more than 1 MiB, which dbt does not hash.
-#}
{% macro seed_version(name) -%}
    {%- set seed = graph.nodes['seed.' ~ model.package_name ~ '.' ~ name] -%}
    {%- if seed.checksum.name != 'sha256' -%}{{ return(none) }}{%- endif -%}
    {%- set columns = [] -%}
    {%- for column in seed.columns.values() -%}
        {%- do columns.append([column.name, column.get('description')]) -%}
    {%- endfor -%}
    {%- set parts = [seed.checksum.checksum, seed.config.column_types, seed.description, columns] -%}
    {{ return(local_md5(tojson(parts, sort_keys=true))) }}
{%- endmacro %}
