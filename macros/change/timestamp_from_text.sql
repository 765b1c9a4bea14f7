{#- Read as if it were UTC, so that no session's time zone matters; whoever knows the zone moves it. -#}
{% macro timestamp_from_text(text) -%}
if(
    {{ text }} rlike r'^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?\z',
    try_cast({{ text }} || 'Z' as timestamp),
    null
)
{%- endmacro %}
