{#- Nothing but position tells these two changes of a row apart. -#}
{% macro is_tied(change, other) -%}
struct({{ change }}.fold_order, {{ change }}.chain_rank, {{ change }}.change_order.serial)
= struct({{ other }}.fold_order, {{ other }}.chain_rank, {{ other }}.change_order.serial)
{%- endmacro %}
