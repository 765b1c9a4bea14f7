{% macro kind_of(source_type, kinds) -%}
{%- set type = source_type | lower -%}
{%- set sign = ' unsigned' if ' unsigned' in type.split(')')[-1] else '' -%}
{%- set name = type.split('(')[0] | replace(' unsigned', '') | replace(' zerofill', '') | trim -%}
{%- set kind = kinds.get(name ~ sign, kinds.get(name)) -%}
{%- if kind in ('decimal', 'decimal_base64') and '(' in type -%}
{{ kind }}({{ type.split('(')[1].split(')')[0] }})
{%- else -%}
{{ kind or type }}
{%- endif -%}
{%- endmacro %}
