{% macro next_steps(results) -%}
{%- set lines, found, built, changed, left_out = [], [], [], [], [] -%}
{%- for result in results -%}
    {%- set node, status = result.node, result.status | string -%}
    {%- do built.append(node.unique_id) -%}
    {%- do found.append(node.name) if node.resource_type in ('seed', 'test') and status in ('error', 'fail', 'warn') -%}
    {%- do changed.append(node.name)
        if node.name == 'row_states' and status == 'success' and result.message != 'OK nothing new' -%}
{%- endfor -%}
{#- dbt also renders this while it parses, without results and without the graph. -#}
{%- for node in (graph.nodes.values() if changed else []) if node.config.materialized == 'incremental_table'
    and node.config.get('meta', {}).get('snapshot_of') and node.unique_id not in built -%}
    {%- do left_out.append(node.name) -%}
{%- endfor -%}
{%- if found -%}
    {%- do lines.append(
        found | length ~ ' tests or seeds failed or warned (' ~ found[:5] | join(', ')
        ~ (', and more' if found | length > 5 else '') ~ '). Sources, examples and remedies: watershed findings'
    ) -%}
{%- endif -%}
{%- if left_out -%}
    {%- do lines.append(
        'WARN typed snapshots: ' ~ left_out | length ~ ' of them were not part of this run and are older than '
        ~ 'current_rows (' ~ (left_out | sort)[:5] | join(', ') ~ (', and more' if left_out | length > 5 else '')
        ~ ').\n    .venv/bin/dbt build --selector increment_typed'
    ) -%}
{%- endif -%}
{%- if lines -%}{%- do log(lines | join('\n'), info=true) -%}{%- endif -%}
{%- endmacro %}
