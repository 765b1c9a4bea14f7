{#- Base64 without the line breaks that Spark's base64 writes. -#}
{% macro base64_text(bytes) -%}
replace(base64({{ bytes }}), '\r\n', '')
{%- endmacro %}
