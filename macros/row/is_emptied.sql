{#-
    Whether a truncate stands behind the newest change of a row: by the order of the format; without a sequence by
    position in its own partition, and by time in the others.
-#}
{% macro is_emptied(state, truncate) -%}
case
    when not {{ truncate }}.is_by_position then {{ state }}.change_order <= {{ truncate }}.change_order
    when {{ state }}.change_order.sequence is not null then false
    when {{ state }}.change_order.topic = {{ truncate }}.topic
        and {{ state }}.change_order.partition = {{ truncate }}.partition
        then {{ state }}.change_order <= {{ truncate }}.change_order
    else {{ state }}.event_at < {{ truncate }}.event_at
end
{%- endmacro %}
