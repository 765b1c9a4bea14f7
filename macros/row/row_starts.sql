{#-
    A select of one row per row and change (of a relation in the shape of row_changes) in the order of the fold (place),
    with a number for all that lies on one image (start_number). A full image or a removal starts anew; so does a partial
    image that has all columns told since. first_scope is that of the full image or removal, or of what came first.
-#}
{% macro row_starts(changes) -%}
{%- set table_row = 'row_id, source_name, table_name' -%}
with ordered as (
    {{ ordered_changes(changes) }}
),

folded as (
    {{ changes_by_row('ordered') }}
),

exploded as (
    select
        * except (changes, is_spread, appended_at),
        {{ is_removal('change') }} as is_removed,
        if(
            not is_removed and exists(changes, one -> one.image_scope in ('given', 'partial')),
            array_sort(json_object_keys(change.row_image)),
            null
        ) as names
    from folded
    lateral view posexplode(changes) exploded as place, change
),

lives as (
    select
        *,
        count_if(is_removed or {{ starts_anew('change') }}) over (partition by {{ table_row }} order by place) as life
    from exploded
),

named as (
    select
        *,
        first_value(change.image_scope) over life_window as first_scope,
        size(array_except(flatten(collect_set(names) over life_window), names)) = 0 as has_all_names
    from lives
    window life_window as (partition by {{ table_row }}, life order by place)
)

select
    *,
    count_if(is_removed or {{ starts_anew('change') }} or has_all_names) over (
        partition by {{ table_row }} order by place
    ) as start_number
from named
{%- endmacro %}
