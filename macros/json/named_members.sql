{% macro named_members(members) -%}
{%- for name in members %}
opened.members[{{ loop.index0 }}] as {{ name }}{{ "," if not loop.last }}
{%- endfor %}
{%- endmacro %}
