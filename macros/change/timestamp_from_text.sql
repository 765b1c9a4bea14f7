{#- Interpreted as UTC, so that the session's time zone has no effect; callers that know the zone convert it. -#}
{% macro timestamp_from_text(text) -%}
if(
    {{ text }} rlike r'^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?\z',
    try_cast({{ text }} || 'Z' as timestamp),
    null
)
{%- endmacro %}
