{#-
    A select of one row per row that got a change (relation in the shape of row_changes), named by a number (row_hash): when
    it got the last one, and its floor, the sequence of its newest full image or delete. What has a smaller sequence counts
    no more. Null for formats without a sequence, and for Databus, where an older change may know the names of the key. Of
    two rows of one number the lower floor counts for both: nothing is lost, a little more is kept.
-#}
{% macro row_floors(changes) -%}
select
    xxhash64(row_name) as row_hash,
    max(appended_at) as appended_at,
    if(count(sequence) = count(*), min(sequence), null) as sequence
from (
    select
        row_name,
        max(appended_at) as appended_at,
        max(
            if(
                {{ is_base('change') }}
                and change.change_order.phase = 1
                and not startswith(format, 'databus_'),
                change.change_order.sequence,
                null
            )
        ) as sequence
    from {{ changes }}
    group by row_name
)
group by row_hash
{%- endmacro %}
