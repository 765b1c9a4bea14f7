{#-
    A select of what each move took from its old key, from lives (a relation of old rows, cut at all that starts anew and
    ending where the row left): the images of that life, and the move that they lie on if it began with one. A truncate
    of the table before the row left emptied what it stands behind.
-#}
{% macro left_behind(lives) -%}
with truncates_by_table as (
    {{ truncates_by_table() }}
),

counting as (
    select
        lives.move,
        filter(
            lives.steps,
            step -> not exists(
                coalesce(truncates_by_table.truncates, array()),
                truncate -> coalesce({{ is_emptied('step', 'truncate') }}, false)
                and not coalesce({{ is_emptied('lives.left_at', 'truncate') }}, false)
            )
        ) as steps
    from {{ lives }} as lives
    left join truncates_by_table on {{ is_same_table('lives', 'truncates_by_table') }}
)

select
    move.*,
    if(get(steps, 0).is_arrival, get(steps, 0).change_id, null) as previous_id,
    if({{ starts_anew('get(steps, 0)') }}, 'full', 'moved') as image_scope,
    overlay_images(concat(
        transform(
            filter(steps, step -> not step.is_arrival and not {{ is_removal('step') }}),
            step -> step.row_image
        ),
        array(move.change.row_image)
    )) as row_image
from counting
{%- endmacro %}
