{#- The time zones of all sources, as a dictionary; asked once for all snapshots of a run. -#}
{% macro time_zones() -%}
    {%- if 'time_zones' not in run_notes() -%}
        {%- set zones = {} -%}
        {%- for row in run_query('select source_name, time_zone from ' ~ model_relation('cdc_sources')) -%}
            {%- do zones.update({row[0]: [row[1] or '', zones.get(row[0], '')] | max}) -%}
        {%- endfor -%}
        {%- do run_notes().update({'time_zones': zones}) -%}
    {%- endif -%}
    {{ return(run_notes().time_zones) }}
{%- endmacro %}
