{#-
    What puts a change of a row behind the one before it: the first of the things that the fold compares which differs
    (fold_order, chain_rank, the serial, in this order). Positions in two partitions do not compare: that is a tie too.
-#}
{% macro decided_by(change, previous) -%}
case
    when {{ previous }}.change_id is null then 'first'
    {%- for field in ['phase', 'sequence', 'serial'] %}
    when not {{ change }}.fold_order.{{ field }} <=> {{ previous }}.fold_order.{{ field }} then '{{ field }}'
    {%- endfor %}
    when not {{ change }}.fold_order.spread_at <=> {{ previous }}.fold_order.spread_at then 'time'
    when {{ change }}.fold_order.image_rank <> {{ previous }}.fold_order.image_rank then 'image'
    when {{ change }}.change_order.topic <=> {{ previous }}.change_order.topic
        and {{ change }}.change_order.partition <=> {{ previous }}.change_order.partition
        and not {{ change }}.fold_order.position <=> {{ previous }}.fold_order.position then 'position'
    when not {{ change }}.chain_rank.rank <=> {{ previous }}.chain_rank.rank then 'chain'
    when not {{ change }}.change_order.serial <=> {{ previous }}.change_order.serial then 'serial'
    when not {{ change }}.chain_rank <=> {{ previous }}.chain_rank then 'chain'
    else 'tie'
end
{%- endmacro %}
