{#-
    The names in a canonical JSON array of strings, as `open_json` gives it for the kind names. Without an escape each
    quote ends or begins a name, and from_json, which costs five times as much, is not asked.
-#}
{% macro json_names(text) -%}
if(
    startswith({{ text }}, '["') and not contains({{ text }}, '\\'),
    split(substring({{ text }}, 3, length({{ text }}) - 4), '","'),
    from_json({{ text }}, 'array<string>')
)
{%- endmacro %}
