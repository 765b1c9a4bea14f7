{#- Whether a row_key is the key of a Databus event as sent, without the names of its columns. -#}
{% macro is_unnamed_key(row_key) -%}
(startswith({{ row_key }}, '{"key":') or startswith({{ row_key }}, '{"key_base64":'))
{%- endmacro %}
