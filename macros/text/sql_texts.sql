{#- Values as SQL text literals, with commas between; nulls are left out, and a null stands for no value at all. -#}
{% macro sql_texts(values) -%}
{%- set literals = [] -%}
{%- for value in values if value is not none -%}
    {%- do literals.append(sql_text(value)) -%}
{%- endfor -%}
{{ literals | join(', ') or 'null' }}
{%- endmacro %}
