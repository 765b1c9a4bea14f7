{#- Whether a time says more than microseconds, which a timestamp of Spark cannot hold. -#}
{% macro has_nanoseconds(text) -%}
{{ text }} rlike r'[.][0-9]{6}[0-9]*[1-9]'
{%- endmacro %}
