{#- Until when the typed snapshots of this run were folded, each as it noted it; 0 for one that is to be made. -#}
{% macro snapshot_times() -%}
    {%- set times = [] -%}
    {%- for id in selected_resources if execute and not flags.EMPTY -%}
        {%- set node = graph.nodes.get(id) -%}
        {%- if node and node.config.materialized == 'typed_snapshot' -%}
            {%- do times.append(snapshot_state(model_relation(node.name)).events_until | default(0) | int) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(times) }}
{%- endmacro %}
