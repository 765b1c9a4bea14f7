{#-
    Compacts the small files of the model's table with every 20th append (var compact_every_appends): each build adds
    some, and hundreds of them slow a build down by half (ADR 0019). It is part of the build, because a build that has
    read the table fails if another process commits a compaction meanwhile.
-#}
{% macro compact_files(step) -%}
    {%- set every = var('compact_every_appends') -%}
    {%- if step.since // every == step.append // every -%}{{ return('') }}{%- endif -%}
    {%- if is_iceberg() -%}
        {%- set compaction -%}
call spark_catalog.system.rewrite_data_files(
    table => '{{ this }}',
    -- Files of any size with many deleted rows are rewritten without them.
    options => map(
        'min-input-files', '2', 'delete-ratio-threshold', '0.3',
        'min-file-size-bytes', '{{ 64 * 1024 * 1024 }}', 'target-file-size-bytes', '{{ 128 * 1024 * 1024 }}'
    )
)
        {%- endset -%}
    {%- else -%}
        {%- set compaction = 'optimize ' ~ this -%}
    {%- endif -%}
    {%- do run_query(compaction) -%}
{%- endmacro %}
