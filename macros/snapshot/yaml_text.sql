{#-
    A sentence for a generated YAML file, between double quotes. Vendor names in it are only read by people: what dbt
    would take for Jinja, and what does not print, is replaced.
-#}
{% macro yaml_text(sentence) -%}
{%- set printing = '\\x20-\\x7e\\xa0-\\ud7ff\\ue000-\\ufefe\\uff00-\\ufffd\\U00010000-\\U0010ffff' -%}
{%- set printed = modules.re.sub('[^' ~ printing ~ ']', '?', sentence) | replace('{', '(') | replace('}', ')') -%}
{{ return('"' ~ printed | replace('\\', '\\\\') | replace('"', '\\"') ~ '"') }}
{%- endmacro %}
