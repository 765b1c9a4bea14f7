{#-
    The order that a change of a row in one partition has as soon as a change of the row comes in another one: its time
    goes before its position. Null where that cannot happen any more, or never (there is a sequence).
-#}
{% macro order_if_spread(change, is_spread) -%}
if(
    {{ change }}.change_order.phase = 1 and {{ change }}.change_order.sequence is null and not {{ is_spread }},
    struct({{ change }}.event_at, {{ change }}.change_order.offset, {{ change }}.change_order.event_index),
    null
)
{%- endmacro %}
