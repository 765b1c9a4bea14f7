{% macro shell_word(text) -%}
if({{ text }} rlike r'^[A-Za-z0-9_.-]+\z', {{ text }}, "'" || replace({{ text }}, "'", "'\\''") || "'")
{%- endmacro %}
