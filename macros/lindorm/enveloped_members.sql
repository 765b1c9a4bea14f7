{% macro enveloped_members(members) -%}
{%- for name in members %}
{%- set wrapped = "opened.members[" ~ loop.index0 ~ "]" %}
{%- set plain = "opened.members[" ~ (loop.index0 + members | length) ~ "]" %}
if(opened.members[0] is not null, {{ wrapped }}, {{ plain }}) as {{ name }},
{%- endfor %}
opened.members[{{ 2 * (members | length) }}] as connect_schema
{%- endmacro %}
