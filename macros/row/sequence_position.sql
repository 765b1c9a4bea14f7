{#- In a chain of images the serial is only the time of capture. -#}
{% macro sequence_position(change) -%}
if(
    {{ change }}.change_order.phase = 1 and {{ change }}.change_order.sequence is not null,
    struct(
        {{ change }}.change_order.sequence,
        if({{ change }}.before_hash is null, {{ change }}.change_order.serial, null) as serial,
        if({{ change }}.before_hash is null, {{ change }}.change_order.image_rank, 0) as image_rank
    ),
    null
)
{%- endmacro %}
