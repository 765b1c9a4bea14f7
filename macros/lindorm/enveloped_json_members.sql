{#- The second argument of open_json for a Debezium envelope: each member below `payload`, then each at the top, for
    messages without that wrapper, then the schema next to `payload`. A path without a kind is read as text. -#}
{% macro enveloped_json_members(members) -%}
{%- set wrapped, plain = [], [] -%}
{%- for member in members.values() -%}
    {%- set path, kind = (member, 'text') if member is string else member -%}
    {%- do wrapped.append(['payload.' ~ path, kind]) -%}
    {%- do plain.append([path, kind]) -%}
{%- endfor -%}
r'{{ tojson(wrapped + plain + [['schema', 'any']]) }}'
{%- endmacro %}
