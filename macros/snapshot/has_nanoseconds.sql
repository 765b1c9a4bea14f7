{#- Whether a time has more digits than microseconds, which a Spark timestamp cannot hold. -#}
{% macro has_nanoseconds(text) -%}
{{ text }} rlike r'[.][0-9]{6}[0-9]*[1-9]'
{%- endmacro %}
