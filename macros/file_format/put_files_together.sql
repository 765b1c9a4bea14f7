{#-
    Puts the small files of the model's table together where there are many: each build adds some, and where hundreds
    lie a build takes half as long again (ADR 0019). In the build, for a compaction that is committed by somebody else
    makes a build fail that has read the table. Besides, a large table has files of 64 MB and more, which stay. The
    question takes up to 0.6 s, and a build adds four files: by the clock, one build in five asks it, or each if few
    files are many.
-#}
{% macro put_files_together() -%}
    {%- if run_started_at.microsecond % [var('most_small_files') // 10, 1] | max -%}{{ return('') }}{%- endif -%}
    {%- if is_iceberg() -%}
        {%- set sizes = 'select count(*), sum(file_size_in_bytes) from ' ~ this ~ '.files' -%}
        {%- set compaction -%}
call spark_catalog.system.rewrite_data_files(
    table => '{{ this }}',
    -- And a file of any size of which many rows are gone is written without them.
    options => map(
        'min-input-files', '2', 'delete-ratio-threshold', '0.3',
        'min-file-size-bytes', '{{ 64 * 1024 * 1024 }}', 'target-file-size-bytes', '{{ 128 * 1024 * 1024 }}'
    )
)
        {%- endset -%}
        {%- set files, bytes = run_query(sizes).rows[0].values() -%}
    {%- else -%}
        {%- set compaction = 'optimize ' ~ this -%}
        {%- set detail = run_query('describe detail ' ~ this).rows[0] -%}
        {%- set files, bytes = detail['numFiles'], detail['sizeInBytes'] -%}
    {%- endif -%}
    {%- if files > var('most_small_files') + (bytes or 0) / 64000000 -%}{%- do run_query(compaction) -%}{%- endif -%}
{%- endmacro %}
