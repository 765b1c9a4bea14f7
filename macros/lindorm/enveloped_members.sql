{% macro enveloped_members(members) -%}
{%- for name in members %}
{%- set wrapped, plain = loop.index0, loop.index0 + members | length %}
if(opened.members[0] is not null, opened.members[{{ wrapped }}], opened.members[{{ plain }}]) as {{ name }},
{%- endfor %}
opened.members[{{ 2 * (members | length) }}] as connect_schema
{%- endmacro %}
