{#-
    Batches that landed before this time must have been read: in a build the start of the run; in a standalone test the
    last append, because landing continues between builds.
-#}
{% macro read_until() -%}
{%- if flags.WHICH == 'build' -%}
timestamp '{{ run_started_at.strftime("%Y-%m-%d %H:%M:%S.%f") }}+00:00'
{%- else -%}
(select max(appended_at) from {{ ref('events') }})
{%- endif -%}
{%- endmacro %}
