{#- The second argument of open_json: what to take out of each message, as one SQL text literal. -#}
{% macro json_members(members) -%}
r'{{ tojson(members.values() | list) }}'
{%- endmacro %}
