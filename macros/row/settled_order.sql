{#-
    The part of a fold_order that copies cannot move: an earlier copy of a change may still come, and with it the change
    moves to an earlier position. So position is left out, but in increments without sequence and serial (Canal, and OMS
    without number and time), where a copy at another position is another change.
-#}
{% macro settled_order(fold_order) -%}
struct(
    {{ fold_order }}.phase,
    {{ fold_order }}.sequence,
    {{ fold_order }}.serial,
    {{ fold_order }}.spread_at,
    {{ fold_order }}.image_rank,
    if(
        {{ fold_order }}.phase = 1 and {{ fold_order }}.sequence is null and {{ fold_order }}.serial is null,
        {{ fold_order }}.position,
        null
    ) as position
)
{%- endmacro %}
