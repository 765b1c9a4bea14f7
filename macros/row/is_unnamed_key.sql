{% macro is_unnamed_key(row_key) -%}
(startswith({{ row_key }}, '{"key":') or startswith({{ row_key }}, '{"key_base64":'))
{%- endmacro %}
