{#- Spark reads a backslash in a literal as an escape; dbt-spark does not escape it, so payloads would lose it. -#}
{% macro spark__escape_single_quotes(expression) -%}
{{ expression | replace('\\', '\\\\') | replace("'", "\\'") }}
{%- endmacro %}
