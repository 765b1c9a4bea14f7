{#- A text as one word of a shell command: names of sources and tables are data, and some have spaces or quotes. -#}
{% macro shell_word(text) -%}
if({{ text }} rlike r'^[A-Za-z0-9_.-]+\z', {{ text }}, "'" || replace({{ text }}, "'", "'\\''") || "'")
{%- endmacro %}
