{#- Whether a row_key is the key of a Databus event as sent, without the names of its columns. -#}
{% macro is_unnamed_key(row_key) -%}
{{ row_key }} rlike '^[{]"key(_base64)?":'
{%- endmacro %}
