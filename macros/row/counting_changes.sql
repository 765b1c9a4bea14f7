{#-
    A select of the changes (relation in the shape of ordered_changes) that may still count. What lies before the newest full
    image or delete can never count again; what is newer, or ties with it, may. So may, in a Databus window or a full
    load, what position puts before it: a copy comes with other positions. So may what time puts behind it, while position
    decides: a later run may find the row in another partition.
-#}
{% macro counting_changes(ordered) -%}
select * from (
    select
        *,
        {{ settled_order('fold_order') }} as settled_order,
        max(if({{ is_base('change') }}, {{ settled_order('fold_order') }}, null)) over (
            partition by row_id, source_name, table_name
        ) as base_order,
        {{ order_if_spread('change', 'is_spread_now') }} as order_if_spread,
        max(if({{ is_base('change') }}, {{ order_if_spread('change', 'is_spread_now') }}, null)) over (
            partition by row_id, source_name, table_name
        ) as base_if_spread
    from {{ ordered }}
)
where base_order is null or settled_order >= base_order or order_if_spread >= base_if_spread
{%- endmacro %}
