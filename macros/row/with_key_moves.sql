{#-
    A select of changes (a relation in the shape of row_changes) in which a change of key that told a part of its row has
    the whole row; and of such changes again whose row key_moves wrote by now (condition), for something came late.
-#}
{% macro with_key_moves(changes, condition=none) -%}
select
    changes.* except (change, is_spread, appended_at),
    struct(
        changes.change.change_order,
        changes.change.change_id,
        changes.change.change_type,
        coalesce(key_moves.image_scope, changes.change.image_scope) as image_scope,
        coalesce(key_moves.row_image, changes.change.row_image) as row_image,
        changes.change.sequence_number,
        changes.change.event_at,
        changes.change.before_hash,
        changes.change.is_soft_deleted
    ) as change,
    changes.is_spread,
    changes.appended_at
from {{ changes }} as changes
left join {{ ref('key_moves') }} as key_moves on changes.change.change_id = key_moves.change_id
{%- if condition is not none %}
union all
select
    {{ row_name('row_key') }} as row_name,
    row_id,
    source_name,
    format,
    database_name,
    schema_name,
    table_name,
    row_key,
    struct(
        change_order,
        change_id,
        'update_postimage' as change_type,
        image_scope,
        row_image,
        sequence_number,
        event_at,
        cast(null as string) as before_hash,
        is_soft_deleted
    ) as change,
    false as is_spread,
    appended_at
from {{ ref('key_moves') }}
where {{ condition }}
{%- endif %}
{%- endmacro %}
