{#- A comparison with literals, which Spark can push down to the files. -#}
{% macro is_format_with(format, fact=none, values=[true]) -%}
{{ format }} in ('{{ formats_with(fact, values) | join("', '") }}')
{%- endmacro %}
