{#- Names the members that enveloped_json_members asked for. The first is the operation, and where it stands, the others
    are read too: nothing is put together from both levels. -#}
{% macro enveloped_members(members) -%}
{%- for name in members %}
{%- set wrapped = "opened.members[" ~ loop.index0 ~ "]" %}
{%- set plain = "opened.members[" ~ (loop.index0 + members | length) ~ "]" %}
if(opened.members[0] is not null, {{ wrapped }}, {{ plain }}) as {{ name }},
{%- endfor %}
opened.members[{{ 2 * (members | length) }}] as connect_schema
{%- endmacro %}
