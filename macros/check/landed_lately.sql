{#- Whether the row landed in the last `quarantine_days`: what is older was told when it landed. -#}
{% macro landed_lately() -%}
landed_at > current_timestamp() - interval '{{ var('quarantine_days') | int }}' day
{%- endmacro %}
