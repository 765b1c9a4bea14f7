{#-
    A select of what each move took from its old key, from lives (a relation of old rows, cut at all that starts anew and
    ending where the row left): the images of that life, and the move that they lie on if it began with one. A truncate
    of the table before the row left emptied what it stands behind.
-#}
{% macro left_behind(lives) -%}
with with_truncates as (
    {{ with_truncates(lives) | indent(4) }}
),

counting as (
    select
        move,
        {{ lived_until('left_at', 'steps', 'truncates') | indent(8) }} as steps
    from with_truncates
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
