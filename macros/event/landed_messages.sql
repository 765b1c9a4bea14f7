{#- No row, batch or sort carries a value that is too large (udfs/watershed_udfs/too_large.py). An explode of one
    element, because Spark would inline a plain expression into each function call and carry the value once per
    call. -#}
{% macro landed_messages(with_key=false) -%}
(
    select
        messages.source_name, messages.format, messages.topic, messages.partition, messages.offset, messages.landed_at,
        messages.batch_id, {{ 'messages.key, ' if with_key }}marked.value
    from {{ source('landing', 'messages') }} as messages
        lateral view explode(array(if(
            octet_length(messages.value) > 33554432,
            concat(X'FF', encode('value_too_large:' || octet_length(messages.value), 'UTF-8')),
            messages.value
        ))) marked as value
)
{%- endmacro %}
