{#-
    A select of one row per row that got a change (relation in the shape of row_changes), named by an expression over its
    row_name (handle): when it got the last one, the order of the newest, a hash if there is but one, and its floor
    (sequence), that of its newest full image or delete. What has a smaller sequence counts no more. Null if there is
    none. A preimage says nothing beside a postimage of its order, so the hash leaves it out (are_preimages: there is
    nothing else). Of two rows of one handle the lower floor counts for both: nothing is lost, a little more is kept.
-#}
{% macro row_floors(changes, handle) -%}
select
    {{ handle }} as handle,
    max(appended_at) as appended_at,
    max(newest) as newest,
    max(only_hash) as only_hash,
    bool_and(are_preimages) as are_preimages,
    if(count(sequence) = count(*), min(sequence), null) as sequence
from (
    select
        row_name,
        max(appended_at) as appended_at,
        max(change.change_order) as newest,
        if(
            count(*) = 1 or (count_if(is_preimage) = count(*) - 1 and bool_or(change.change_type = 'update_postimage')),
            max(if(is_preimage, null, {{ change_hash('change') }})),
            null
        ) as only_hash,
        bool_and(is_preimage) as are_preimages,
        max(if({{ is_settled('change') }}, change.change_order.sequence, null)) as sequence
    from (
        select *, change.change_type = 'update_preimage' and change.change_order.image_rank = 0 as is_preimage
        from {{ changes }}
    )
    group by row_name
)
group by handle
{%- endmacro %}
