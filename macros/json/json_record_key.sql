{#- A plain text is never parsed, because it might be valid Base64. -#}
{% macro json_record_key(key) -%}
open_json(
    if(cast({{ key }} as string) rlike r'^[ \t\r\n]*\{', {{ key }}, null),
    {{ json_members({'object': ['', 'object'], 'payload': ['payload', 'any']}) }}
)
{%- endmacro %}
