{#-
    Asks what typed snapshots need to know for all of this run, as soon as row_states stands: else the first ones, which
    are built at once, would each ask for themselves, and all four wait for one another.
-#}
{% macro ask_for_snapshots() -%}
    {%- set rows_since, truncates_since = [], [] -%}
    {%- for id in selected_resources if execute and not flags.EMPTY -%}
        {%- set node = graph.nodes.get(id) -%}
        {%- if node and node.config.materialized == 'typed_snapshot' -%}
            {%- set known = snapshot_state(model_relation(node.name)) -%}
            {%- do rows_since.append(known.rows_until | default(0) | int) -%}
            {%- do truncates_since.append(known.truncates_until | default(0) | int) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if rows_since -%}{%- do snapshot_appends(rows_since | min, truncates_since | min) -%}{%- endif -%}
{%- endmacro %}
