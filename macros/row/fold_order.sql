{#-
    What decides between two changes of one row. Where the format has an order of its own, changes equal in it are tied,
    and position decides last. Where it has none, position is the order; if the changes of a row lie in several
    partitions (is_spread), whose positions do not compare, their time goes first. Where changes say what they started
    from (before_hash), that chain goes before the serial, so the serial does not count here (chain_rank).
-#}
{% macro fold_order(change_order, event_at, is_spread, before_hash) -%}
struct(
    {{ change_order }}.phase as phase,
    {{ change_order }}.sequence as sequence,
    if({{ before_hash }} is null, {{ change_order }}.serial, null) as serial,
    if({{ change_order }}.sequence is null and {{ is_spread }}, {{ event_at }}, null) as spread_at,
    {{ change_order }}.image_rank as image_rank,
    if(
        {{ change_order }}.sequence is null,
        struct(
            {{ change_order }}.topic as topic,
            {{ change_order }}.partition as partition,
            {{ change_order }}.offset as offset,
            {{ change_order }}.event_index as event_index
        ),
        null
    ) as position
)
{%- endmacro %}
