{#- Names the members that open_json took out, in the order in which they were asked for. -#}
{% macro named_members(members, opened='opened') -%}
{%- for name in members %}
{{ opened }}.members[{{ loop.index0 }}] as {{ name }}{{ "," if not loop.last }}
{%- endfor %}
{%- endmacro %}
