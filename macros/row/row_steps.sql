{#-
    A select of what each change of each row (a relation in the shape of row_changes) made of it, one row per row and
    change, in the order of the fold (place): whether the row is gone, and the changes whose images make it up (steps), itself
    at the end. Of neighbours with the same columns the last says all that the others say, so the steps stay few, however
    many partial images a row has.
-#}
{% macro row_steps(changes) -%}
with started as (
    {{ row_starts(changes) }}
),

compared as (
    select
        *,
        coalesce(names = lead(names) over start_window, false) as is_covered
    from started
    window start_window as (partition by row_id, source_name, table_name, start_number order by place)
),

collected as (
    select
        *,
        concat(
            collect_list(if(is_removed or is_covered, null, change)) over (
                partition by row_id, source_name, table_name, start_number order by place
                rows between unbounded preceding and 1 preceding
            ),
            if(is_removed, array(), array(change))
        ) as steps
    from compared
)

select
    *,
    {{ is_gone('change', 'steps') }} as is_deleted
from collected
{%- endmacro %}
