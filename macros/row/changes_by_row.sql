{#-
    A select of one row per row_id with its changes (relation in the shape of ordered_changes) as an array in their order:
    what comes before the chain, the chain, the serial, and position at the end.
-#}
{% macro changes_by_row(changes) -%}
select
    * except (collected),
    -- Most rows are one change, and lambdas leave Spark's compiled code.
    if(
        size(collected) = 1,
        array(struct(
            collected[0].fold_order as fold_order,
            cast(null as struct<rank: int, serial: decimal(38, 0), is_removal: boolean>) as chain_rank,
            {{ kept_fields('collected[0]') }}
        )),
        sort_array(transform(collected, change -> struct(
            change.fold_order as fold_order,
            {{ chain_rank('change', 'collected') }} as chain_rank,
            {{ kept_fields('change') }}
        )))
    ) as changes
from (
    -- In the order of the windows before, so that Spark need not sort once more.
    select
        row_id,
        source_name,
        any_value(format) as format,
        any_value(database_name) as database_name,
        any_value(schema_name) as schema_name,
        table_name,
        any_value(row_key) as row_key,
        max(is_spread_now) as is_spread,
        collect_list(struct(fold_order, {{ kept_fields('change') }})) as collected,
        max(appended_at) as appended_at
    from {{ changes }}
    group by row_id, source_name, table_name
)
{%- endmacro %}
