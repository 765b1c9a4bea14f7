{#-
    The names in a canonical JSON array of strings, as returned by `open_json` for the kind names. Without escapes every
    quote delimits a name, so the text is split instead of calling from_json, which costs five times as much.
-#}
{% macro json_names(text) -%}
if(
    startswith({{ text }}, '["') and not contains({{ text }}, '\\'),
    split(substring({{ text }}, 3, length({{ text }}) - 4), '","'),
    from_json({{ text }}, 'array<string>')
)
{%- endmacro %}
