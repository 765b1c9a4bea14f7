{#-
    A select of the changes (relation in the shape of ordered_changes) that may still count. What lies before the newest full
    image or delete can never count again, nor, where images lie over each other (has_parts), what one with the same columns
    came behind; what is newer, or ties with it, may. So may, in a Databus window or a full load, what position puts before
    it: a copy comes with other positions. So may what time puts behind it, while position decides: a later run may find the
    row in another partition.
-#}
{% macro counting_changes(ordered, has_parts) -%}
{%- set table_row = 'row_id, source_name, table_name' -%}
select * from (
    select
        *,
        max(if({{ is_base('change') }}, settled_order, null)) over row_window as base_order,
        max(if({{ is_base('change') }}, order_if_spread, null)) over row_window as base_if_spread
    from (
        {%- if has_parts %}
        select
            *,
            max(settled_order) over names_window as names_order,
            max(order_if_spread) over names_window as names_if_spread
        from (
        {%- endif %}
            select
                *,
                {%- if has_parts %}
                {{ names_hash('change') }} as names_hash,
                {%- endif %}
                {{ settled_order('fold_order') }} as settled_order,
                {{ order_if_spread('change', 'is_spread_now') }} as order_if_spread
            from {{ ordered }}
        {%- if has_parts %}
        )
        window names_window as (partition by {{ table_row }}, names_hash)
        {%- endif %}
    )
    window row_window as (partition by {{ table_row }})
)
where (base_order is null or settled_order >= base_order or order_if_spread >= base_if_spread)
{%- if has_parts %}
    and (names_hash is null or settled_order >= names_order or order_if_spread >= names_if_spread)
{%- endif %}
{%- endmacro %}
