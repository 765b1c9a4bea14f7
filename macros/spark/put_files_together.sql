{#-
    Puts the small files of the model's table together where there are many: each build adds some, and where hundreds
    lie a build takes half as long again (ADR 0019). In the build, for a compaction that is committed by somebody else
    makes a build fail that has read the table.
-#}
{% macro put_files_together() -%}
    {%- set detail = run_query('describe detail ' ~ this).rows[0] -%}
    {#- Besides, a large table has files of 64 MB and more, which stay. -#}
    {%- if detail['numFiles'] > var('most_small_files') + detail['sizeInBytes'] / 64000000 -%}
        {%- do run_query('optimize ' ~ this) -%}
    {%- endif -%}
{%- endmacro %}
