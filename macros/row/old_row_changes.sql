{#-
    A select of the changes of the rows that moves (a relation) came from, in the shape of row_changes, and what each is
    to a move: the preimage with which its row left is marked as such and has the move; is_arrival says that the row came.
-#}
{% macro old_row_changes(moves) -%}
with halves as (
    select half.*
    from (select struct(*) as move from {{ moves }})
    lateral view inline(array(
        struct(move.old_change_id as change_id, false as is_arrival, move),
        struct(move.change.change_id as change_id, true as is_arrival, null as move)
    )) half
),

old_changes as (
    {{ row_changes() }}
        and row_key in (select moves.old_row_key from {{ moves }} as moves)
)

select
    old_changes.* except (change),
    struct(
        old_changes.change.change_order,
        old_changes.change.change_id,
        if(halves.move is null, old_changes.change.change_type, 'moved_away') as change_type,
        old_changes.change.image_scope,
        old_changes.change.row_image,
        old_changes.change.sequence_number,
        old_changes.change.event_at,
        old_changes.change.before_hash,
        old_changes.change.is_soft_deleted
    ) as change,
    halves.move,
    coalesce(halves.is_arrival, false) as is_arrival
from old_changes
left join halves on old_changes.change.change_id = halves.change_id
{%- endmacro %}
