{#-
    The changes of rows as the fold takes them, of int_sent_changes (sent). A change of key that told a part of its row
    has the whole row (key_moves); where that was made again, for something came late, the change is there once more.
    Without key_moves the same of tables in which no key moved so: what Spark need not plan.
-#}
{% macro row_changes(sent, key_moves=none) -%}
with laid as (
    select
        sent.row_id, sent.source_name, sent.format, sent.database_name, sent.schema_name, sent.table_name, sent.row_key,
        sent.named_by,
        struct(
            sent.change_order, sent.change_id, sent.change_type,
            {%- for name in ('image_scope', 'row_image') %}
            coalesce({{ 'key_moves.' ~ name ~ ', ' if key_moves }}sent.{{ name }}) as {{ name }},
            {%- endfor %}
            sent.sequence_number, sent.event_at, sent.before_hash,
            coalesce({{ 'key_moves.is_soft_deleted, ' if key_moves }}sent.is_soft_deleted) as is_soft_deleted
        ) as change,
        sent.is_ordered_by_position, sent.appended_at, false as is_made_again
    from {{ sent }} as sent
    {%- if key_moves %}
    left join {{ key_moves }} as key_moves on sent.change_id = key_moves.change_id
    union all
    select
        row_id, source_name, format, database_name, schema_name, table_name, row_key, row_key as named_by,
        struct(
            change_order, change_id, 'update_postimage' as change_type, image_scope, row_image, sequence_number,
            event_at, cast(null as string) as before_hash, is_soft_deleted
        ) as change,
        -- Other changes of the row tell.
        false as is_ordered_by_position, appended_at, true as is_made_again
    from {{ key_moves }}
    {%- endif %}
)

select
    *,
    -- A number that tells nearly all rows apart, and costs less than row_id where there are many changes.
    xxhash64(source_name, format, database_name, schema_name, table_name, named_by) as row_hash,
    -- Where a sequence orders all, whatever copies come: what stands before a base of its row never counts again.
    if(
        change.change_order.phase = 1 and change.change_order.sequence is not null,
        struct(
            change.change_order.sequence,
            if(change.before_hash is null, change.change_order.serial, null) as serial,
            if(change.before_hash is null, change.change_order.image_rank, 0) as image_rank
        ),
        null
    ) as place,
    case
        -- What is older may know the names of the key.
        when is_ordered_by_position then false
        when change.is_soft_deleted and change.image_scope in ('given', 'partial') then false
        when change.change_type = 'delete' then true
        else change.image_scope in ('full', 'moved') and change.change_type <> 'update_preimage'
    end as is_base
from laid
{%- endmacro %}
