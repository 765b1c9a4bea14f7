{#-
    Events are appended one run after the other (Delta refuses the second of two at once), so the time of the append
    that was folded last tells which events are new. A literal, so that Delta skips the files of older appends; and a
    millisecond later, for Delta knows the times in a file rounded up to milliseconds. Appends are two of them apart.
-#}
{% macro folded_until() -%}
{%- set query -%}
select coalesce(unix_micros(max(appended_at)) + 1000, 0) from {{ this }}
{%- endset -%}
{%- if execute and is_incremental() and flags.WHICH in ('run', 'build') -%}
timestamp_micros({{ run_query(query).columns[0].values()[0] }})
{%- else -%}
timestamp_micros(0)
{%- endif -%}
{%- endmacro %}
