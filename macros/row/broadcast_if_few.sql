{#-
    A hint to bring a relation of one row per touched row to the changes, and not the changes to it: most of them are then
    dropped before they are moved. Only where the new events are so few that all their rows fit in memory.
-#}
{% macro broadcast_if_few(relation, since) -%}
{%- if execute and flags.WHICH in ('run', 'build') -%}
    {%- set query = 'select count(*) from ' ~ ref('events') ~ ' where appended_at > ' ~ since -%}
    {%- if run_query(query).columns[0].values()[0] <= 2000000 -%}
/*+ broadcast({{ relation }}) */
    {%- endif -%}
{%- endif -%}
{%- endmacro %}
