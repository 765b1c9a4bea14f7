{#- Older messages were reported when they landed. -#}
{% macro landed_lately() -%}
landed_at > current_timestamp() - interval '{{ var('quarantine_days') | int }}' day
{%- endmacro %}
