{% macro enveloped_json_members(members) -%}
{%- set wrapped, plain = [], [] -%}
{%- for member in members.values() -%}
    {%- set path, kind = (member, 'text') if member is string else member -%}
    {%- do wrapped.append(['payload.' ~ path, kind]) -%}
    {%- do plain.append([path, kind]) -%}
{%- endfor -%}
r'{{ tojson(wrapped + plain + [['schema', 'any']]) }}'
{%- endmacro %}
