{#-
    A warning about typed snapshots that are older than the current rows because a run changed row_states and did not
    build them. Empty if there are none.
-#}
{% macro left_out_snapshots(results) -%}
{%- set built, changed, left_out = [], [], [] -%}
{%- for result in results -%}
    {%- do built.append(result.node.unique_id) -%}
    {%- if result.node.name == 'row_states' and result.status == 'success' and result.message != 'OK nothing new' -%}
        {%- do changed.append(result.node.name) -%}
    {%- endif -%}
{%- endfor -%}
{%- for node in graph.nodes.values() if changed and node.config.materialized == 'incremental_table'
    and node.config.get('meta', {}).get('snapshot_of') -%}
    {%- do left_out.append(node.name) if node.unique_id not in built -%}
{%- endfor -%}
{%- if left_out -%}
WARN typed snapshots: {{ left_out | length }} of them were not part of this run and are older than current_rows (
    {{- (left_out | sort)[:5] | join(', ') ~ (', and more' if left_out | length > 5 else '') }}).
    .venv/bin/dbt build --selector increment_typed
{%- endif -%}
{%- endmacro %}
