{#- The key of a row from all of its changes: a Databus delete without a value knows the key but not the names of its
    columns. -#}
{% macro named_row_key(row_key, row_window) -%}
coalesce(
    max(if({{ row_key }} like '{"key":%' or {{ row_key }} like '{"key_base64":%', null, {{ row_key }})) over {{ row_window }},
    max({{ row_key }}) over {{ row_window }}
)
{%- endmacro %}
