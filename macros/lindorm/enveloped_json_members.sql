{#- The second argument of open_json for a Debezium envelope: each member below `payload`, and at the top for messages
    without that wrapper; behind them the schema that stands beside `payload`. -#}
{% macro enveloped_json_members(members) -%}
{%- set wanted = [] -%}
{%- for member in members.values() -%}{%- do wanted.append(['payload.' ~ member[0], member[1]]) -%}{%- endfor -%}
{%- for member in members.values() -%}{%- do wanted.append([member[0], member[1]]) -%}{%- endfor -%}
{%- do wanted.append(['schema', 'any']) -%}
r'{{ tojson(wanted) }}'
{%- endmacro %}
