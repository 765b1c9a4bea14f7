{#-
    What decides between two changes of one row. Where the format has an order of its own, changes equal in it are tied,
    and position decides last. Where it has none, or says that position orders what its numbers leave open, position is
    part of the order; if the changes of a row lie in several partitions (is_spread), whose positions do not compare,
    their time goes first. Where changes say what they started from (before_hash), that chain goes before the serial, so
    the serial does not count here (chain_rank).
-#}
{% macro fold_order(change, is_spread, is_ordered_by_position) -%}
struct(
    {{ change }}.change_order.phase as phase,
    {{ change }}.change_order.sequence as sequence,
    if({{ change }}.before_hash is null, {{ change }}.change_order.serial, null) as serial,
    if({{ change }}.change_order.sequence is null and {{ is_spread }}, {{ change }}.event_at, null) as spread_at,
    {{ change }}.change_order.image_rank as image_rank,
    if(
        {{ change }}.change_order.sequence is null or {{ is_ordered_by_position }},
        struct(
            {{ change }}.change_order.topic as topic,
            {{ change }}.change_order.partition as partition,
            {{ change }}.change_order.offset as offset,
            {{ change }}.change_order.event_index as event_index
        ),
        null
    ) as position
)
{%- endmacro %}
