{#- The changes of rows as the fold takes them, from events; copies too, for a copy may be the first that arrived. -#}
{% macro row_changes() -%}
select
    {{ row_name() }} as row_name,
    {{ row_id(row_name()) }} as row_id,
    source_name,
    format,
    database_name,
    schema_name,
    table_name,
    row_key,
    struct(
        change_order,
        change_id,
        change_type,
        fold_scope as image_scope,
        row_image,
        sequence_number,
        event_at,
        before_hash,
        is_soft_deleted
    ) as change,
    false as is_spread,
    appended_at
from {{ ref('events') }}
where outcome in ('change', 'duplicate')
    and row_key is not null
    and change_type <> 'truncate'
{%- endmacro %}
