{#- At the end of a run: which tests and seeds failed or warned, and which typed snapshots were left out. -#}
{% macro next_steps(results) -%}
{%- set lines, found = [], [] -%}
{%- for result in results if result.node.resource_type in ('seed', 'test')
    and result.status | string in ('error', 'fail', 'warn') -%}
    {%- do found.append(result.node.name) -%}
{%- endfor -%}
{%- if found -%}
    {%- do lines.append(
        found | length ~ ' tests or seeds failed or warned (' ~ found[:5] | join(', ')
        ~ (', and more' if found | length > 5 else '') ~ '). Sources, examples and remedies: watershed findings'
    ) -%}
{%- endif -%}
{%- if execute and left_out_snapshots(results) -%}{%- do lines.append(left_out_snapshots(results)) -%}{%- endif -%}
{%- if lines -%}{%- do log(lines | join('\n'), info=true) -%}{%- endif -%}
{%- endmacro %}
