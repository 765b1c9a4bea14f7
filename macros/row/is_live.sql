{#-
    Whether a row lives: its newest change does not delete it, and no truncate stands behind that, by the order of the
    format; without a sequence by position in its own partition, and by time in the others.
-#}
{% macro is_live(state, truncates) -%}
not {{ state }}.is_deleted
and not coalesce(exists({{ truncates }}, truncate -> coalesce(
    case
        when not truncate.is_by_position then {{ state }}.change_order <= truncate.change_order
        when {{ state }}.change_order.sequence is not null then false
        when {{ state }}.change_order.topic = truncate.topic and {{ state }}.change_order.partition = truncate.partition
            then {{ state }}.change_order <= truncate.change_order
        else {{ state }}.event_at < truncate.event_at
    end,
    false
)), false)
{%- endmacro %}
