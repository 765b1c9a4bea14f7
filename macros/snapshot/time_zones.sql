{#- The time zones of all sources, as a dictionary; asked once for all snapshots of a run. -#}
{% macro time_zones() -%}
    {%- if 'time_zones' not in graph -%}
        {%- set zones = {} -%}
        {%- for row in run_query('select source_name, max(time_zone) from ' ~ ref('cdc_sources') ~ ' group by 1') -%}
            {%- do zones.update({row[0]: row[1]}) -%}
        {%- endfor -%}
        {%- do graph.update({'time_zones': zones}) -%}
    {%- endif -%}
    {{ return(graph.time_zones) }}
{%- endmacro %}
