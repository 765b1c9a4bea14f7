{#- How many events were appended since, as far as it is known before the statement runs: none outside of a run. -#}
{% macro count_new_events(since) -%}
{%- if execute and flags.WHICH in ('run', 'build') -%}
    {%- set query = 'select count(*) from ' ~ ref('events') ~ ' where appended_at > ' ~ since -%}
    {{ return(run_query(query).columns[0].values()[0]) }}
{%- endif -%}
{{ return(none) }}
{%- endmacro %}
