{#- A vendor's text as a Jinja literal in a generated file: nothing of it ends the literal or opens a block. -#}
{% macro jinja_text(value) -%}
{%- set escapes = {
    '\\': '\\\\', "'": "\\'", '{': '\\x7b', '}': '\\x7d', '%': '\\x25', '#': '\\x23', '\n': '\\n', '\r': '\\r',
} -%}
{%- set written = [] -%}
{%- for character in value -%}{%- do written.append(escapes.get(character, character)) -%}{%- endfor -%}
{{ return("'" ~ written | join('') ~ "'") }}
{%- endmacro %}
