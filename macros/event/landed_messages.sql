{#-
    landing.messages for a staging model. In place of a value that is too large to be opened stands a short mark with
    its size, which the functions know (udfs/watershed_udfs/too_large.py): no row, batch or sort carries such a value
    on.
-#}
{% macro landed_messages() -%}
(
    select
        * except (value),
        if(
            octet_length(value) > 33554432,
            concat(X'FF', encode('value_too_large:' || octet_length(value), 'UTF-8')),
            value
        ) as value
    from {{ source('landing', 'messages') }}
)
{%- endmacro %}
