{#- A select of the changes of one row as texts, in the order of the fold, with the columns that explain_row prints. -#}
{% macro explained_changes(source_name, table_name, row_id) -%}
select
    if(startswith(part, 'preimage'), '-', cast(change_number as string)) as number,
    change_type,
    image_scope,
    coalesce(cast(sequence_number as string), '-') as sequence,
    coalesce(cast(change_order.serial as string), '-') as serial,
    coalesce(date_format(event_at, "yyyy-MM-dd HH:mm:ss.SSSSSS"), '-') as event_at,
    concat_ws(
        '/', change_order.topic, change_order.partition, change_order.offset, change_order.event_index
    ) as position,
    copies,
    coalesce(decided_by, '-') as decided_by,
    case
        when part = 'preimage of its message' then 'removes nothing: its postimage is in its message'
        when part = 'preimage of its order' then 'removes nothing: its postimage has its order'
        else part
    end as part,
    coalesce(size(truncates_behind), 0) as truncates,
    is_deleted,
    folded_image,
    change_id
from {{ ref('row_changes_explained') }}
where source_name = {{ sql_text(source_name) }}
    and table_name = {{ sql_text(table_name) }}
    and row_id = unhex({{ sql_text(row_id) }})
order by change_number, startswith(part, 'preimage') desc, change_order
{%- endmacro %}
