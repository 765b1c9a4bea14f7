{% macro json_members(members) -%}
{%- set requested = [] -%}
{%- for member in members.values() -%}
    {%- do requested.append([member, 'text'] if member is string else member) -%}
{%- endfor -%}
r'{{ tojson(requested) }}'
{%- endmacro %}
