{#- Spark reads a backslash in a literal as an escape; dbt-spark's own version leaves it, and payloads lose it. -#}
{% macro spark__escape_single_quotes(expression) -%}
{{ expression | replace('\\', '\\\\') | replace("'", "\\'") }}
{%- endmacro %}
