{#- Values as SQL text literals, separated by commas, without nulls; null if there are no values. -#}
{% macro sql_texts(values) -%}
{%- set literals = [] -%}
{%- for value in values if value is not none -%}
    {%- do literals.append(sql_text(value)) -%}
{%- endfor -%}
{{ literals | join(', ') or 'null' }}
{%- endmacro %}
