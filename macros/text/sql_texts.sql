{% macro sql_texts(values) -%}
{%- set literals = [] -%}
{%- for value in values if value is not none -%}{%- do literals.append(sql_text(value)) -%}{%- endfor -%}
{{ literals | join(', ') or 'null' }}
{%- endmacro %}
