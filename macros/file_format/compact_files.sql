{#- Hundreds of small files slow a build down by half (ADR 0019). Part of the build, because a build that has read the
    table fails if another process commits a compaction meanwhile. Iceberg also rewrites files of any size with many
    deleted rows. -#}
{% macro compact_files(step) -%}
{%- set every = var('compact_every_appends') -%}
{%- if every and step.since // every != step.append // every -%}
    {%- do run_query('optimize ' ~ this if config.get('file_format') != 'iceberg' else
        "call spark_catalog.system.rewrite_data_files(table => '" ~ this ~ "', options => map('min-input-files', '2', "
        ~ "'delete-ratio-threshold', '0.3', 'min-file-size-bytes', '67108864', 'target-file-size-bytes', '134217728'))"
    ) -%}
{%- endif -%}
{%- endmacro %}
