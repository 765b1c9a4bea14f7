{#-
    landing.messages for a staging model. In place of a value that is too large to be opened stands a short mark with
    its size, which the functions know (udfs/watershed_udfs/too_large.py): no row, batch or sort carries such a value
    on. An explode of one: a plain expression Spark would put into each call of a function, and then carry the value
    itself, once per call.
-#}
{% macro landed_messages() -%}
(
    select
        messages.* except (value),
        marked.value
    from {{ source('landing', 'messages') }} as messages
        lateral view explode(array(if(
            octet_length(messages.value) > 33554432,
            concat(X'FF', encode('value_too_large:' || octet_length(messages.value), 'UTF-8')),
            messages.value
        ))) marked as value
)
{%- endmacro %}
