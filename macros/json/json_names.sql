{#- The names in a JSON array of strings, as `open_json` gives it for the kind names. -#}
{% macro json_names(text) -%}
list_texts({{ text }})
{%- endmacro %}
