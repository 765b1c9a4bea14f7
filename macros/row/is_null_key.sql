{% macro is_null_key(key) -%}
(contains({{ key }}, ':null') and size(null_columns({{ key }}, {{ key }})) = size(json_object_keys({{ key }})))
{%- endmacro %}
