{#- A scalar subquery and no join: staging stays one message in, its events out. -#}
{% macro source_time_zone(source_name) -%}
coalesce(
    (
        select max(nullif(trim(cdc_sources.time_zone), ''))
        from {{ ref('cdc_sources') }} as cdc_sources
        where cdc_sources.source_name = {{ source_name }}
    ),
    'UTC'
)
{%- endmacro %}
