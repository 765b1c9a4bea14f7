{#- A zone that does not exist sends messages to quarantine (invalid_time_zone) without affecting other sources. A
    scalar subquery instead of a join, so that staging cannot multiply messages. -#}
{% macro source_time_zone(source_name) -%}
(
    select if(
        count(cdc_sources.time_zone) = 0,
        'UTC',
        max(cdc_sources.time_zone) filter (
            where try_cast('2000-01-01 00:00:00 ' || cdc_sources.time_zone as timestamp) is not null
        )
    )
    from {{ ref('cdc_sources') }} as cdc_sources
    where cdc_sources.source_name = {{ source_name }}
)
{%- endmacro %}
