{#- A row_name as one text: null database or schema names count as values, which = in a merge would not do. -#}
{% macro row_id(name) -%}
sha2(to_json({{ name }}), 256)
{%- endmacro %}
