{#-
    A select of the lives of the rows that moves (a relation) came from: what each began with and what came after, in the
    order of the fold, until the row left. A full image, a removal or an arrival begins one; the change with which the
    row left ends it.
-#}
{% macro old_row_lives(moves) -%}
with old_changes as (
    {{ old_row_changes(moves) }}
),

ordered as (
    {{ ordered_changes('old_changes') }}
),

placed as (
    select
        *,
        count_if({{ starts_anew('change') }} or {{ is_removal('change') }} or is_arrival or move is not null) over (
            partition by row_id, source_name, table_name order by fold_order, change.change_order
        ) - if(move is null, 0, 1) as life
    from ordered
)

select
    source_name,
    format,
    database_name,
    schema_name,
    table_name,
    max(move) as move,
    max(if(move is null, null, struct(change.change_order, change.event_at))) as left_at,
    sort_array(collect_list(
        if(move is null, struct(fold_order, {{ kept_fields('change') }}, is_arrival), null)
    )) as steps
from placed
group by source_name, format, database_name, schema_name, table_name, row_id, life
having max(move) is not null
{%- endmacro %}
