{#-
    Asks what typed snapshots need to know for all of this run, as soon as row_states stands: else the first ones, which
    are built at once, would each ask for themselves, and all four wait for one another.
-#}
{% macro ask_for_snapshots() -%}
    {%- set since = [] -%}
    {%- for id in selected_resources if execute and not flags.EMPTY -%}
        {%- set node = graph.nodes.get(id) -%}
        {%- if node and node.config.materialized == 'typed_snapshot' -%}
            {%- do since.append(snapshot_state(model_relation(node.name)).events_until | default(0) | int) -%}
            {%- do time_zones() if (node.config.meta.snapshot_of or {}).reads_time_zone -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if since -%}{%- do snapshot_appends(since | min) -%}{%- endif -%}
{%- endmacro %}
