{#-
    A select of the partial images after an update whose row had another key before: copies too, in the shape of
    row_changes, with the old key. Both halves of such a change are events of one message, one behind the other.
-#}
{% macro found_moves(condition) -%}
select
    after.row_id,
    after.source_name,
    after.format,
    after.database_name,
    after.schema_name,
    after.table_name,
    after.row_key,
    before.row_id as old_row_id,
    before.row_key as old_row_key,
    before.change_id as old_change_id,
    struct({{ kept_fields('after') }}) as change
from (
    select *, {{ row_id(row_name()) }} as row_id
    from {{ ref('events') }}
    where outcome in ('change', 'duplicate')
        and change_type = 'update_postimage' and fold_scope = 'partial'
        and {{ condition }}
) as after
inner join (
    select *, {{ row_id(row_name()) }} as row_id
    from {{ ref('events') }}
    where outcome in ('change', 'duplicate') and change_type = 'update_preimage' and {{ condition }}
) as before
    on {{ is_same_table('after', 'before') | indent(8) }}
        and after.batch_id = before.batch_id
        and after.topic <=> before.topic
        and after.partition <=> before.partition
        and after.offset <=> before.offset
        and after.event_index = before.event_index + 1
        and after.row_id <> before.row_id
where after.row_key is not null and before.row_key is not null
{%- endmacro %}
