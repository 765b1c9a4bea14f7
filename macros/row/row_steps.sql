{#-
    A select of what each change of each row (a relation in the shape of row_changes) made of it, one row per row and
    change, in the order of the fold (place): whether the row is gone, and the changes whose images make it up (steps), itself
    at the end. A full image or a removal starts anew; partial images lie on what came since.
-#}
{% macro row_steps(changes) -%}
with ordered as (
    {{ ordered_changes(changes) }}
),

folded as (
    {{ changes_by_row('ordered') }}
),

exploded as (
    select
        * except (changes, is_spread, appended_at),
        {{ is_removal('change') }} as is_deleted
    from folded
    lateral view posexplode(changes) exploded as place, change
),

started as (
    select
        *,
        count_if(is_deleted or {{ starts_anew('change') }}) over (
            partition by row_id, source_name, table_name order by place
        ) as start_number
    from exploded
)

select
    *,
    collect_list(if(is_deleted, null, change)) over (
        partition by row_id, source_name, table_name, start_number order by place
    ) as steps
from started
{%- endmacro %}
