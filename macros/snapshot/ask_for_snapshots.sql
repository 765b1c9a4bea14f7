{#-
    Asks what typed snapshots need to know for all of this run, as soon as row_states stands: else the first ones, which
    are built at once, would each ask for themselves, and all four wait for one another.
-#}
{% macro ask_for_snapshots() -%}
    {%- set times = snapshot_times() -%}
    {%- if times -%}
        {%- do snapshot_appends(times | min) -%}
        {%- do time_zones() -%}
    {%- endif -%}
{%- endmacro %}
