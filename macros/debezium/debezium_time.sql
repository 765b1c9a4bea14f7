{#- In each unit some versions write 0 or -1 for none; nanoseconds are cut to microseconds. -#}
{% macro debezium_time(block) -%}
{{ timestamp_of_micros(
    'coalesce(nullif(greatest(try_cast(' ~ block ~ "['ts_ns'] as bigint) div 1000, 0), 0), nullif(greatest(try_cast("
    ~ block ~ "['ts_us'] as bigint), 0), 0), nullif(unix_micros(millis_timestamp(" ~ block ~ "['ts_ms'])), 0))"
) }}
{%- endmacro %}
