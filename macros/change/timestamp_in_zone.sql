{#- Databases omit the zone, Alibaba DTS writes UTC. Read as UTC first: the session's time zone has no effect. -#}
{% macro timestamp_in_zone(text, zone) -%}
{%- set instant = "try_cast(rtrim('Z', " ~ text ~ ") || 'Z' as timestamp)" -%}
{%- set zone = 'if(endswith(' ~ text ~ ", 'Z'), 'UTC', " ~ zone ~ ')' -%}
if(
    {{ text }} rlike r'^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?Z?\z',
    {{ timestamp_of_micros('unix_micros(to_utc_timestamp(' ~ instant ~ ', ' ~ zone ~ '))') }},
    null
)
{%- endmacro %}
