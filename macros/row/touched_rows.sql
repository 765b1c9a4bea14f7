{#-
    A select of one row per row that got a change (relation in the shape of row_changes): when it got the last one, and
    the sequence of its newest full image or delete. What has a smaller sequence counts no more. Null for formats without
    a sequence, and for Databus, where an older change may know the names of the key. Rows are told apart by their
    row_name, which is cheaper than to hash the name of each change.
-#}
{% macro touched_rows(changes) -%}
select
    row_name,
    {{ row_id('row_name') }} as row_id,
    max(appended_at) as appended_at,
    max(
        if(
            {{ is_base('change') }}
            and change.change_order.phase = 1
            and not startswith(format, 'databus_'),
            change.change_order.sequence,
            null
        )
    ) as base_sequence
from {{ changes }}
group by row_name
{%- endmacro %}
