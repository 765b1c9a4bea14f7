{#-
    A select of the moves whose rows new events may have changed, each at the first position of its copies: those found
    in them, and those known of tables where an old key got a change, or which were emptied.
-#}
{% macro unsettled_moves(found, condition) -%}
with touched_tables as (
    select distinct source_name, format, database_name, schema_name, table_name from {{ found }}
    {%- if is_incremental() %}
    union
    select distinct source_name, format, database_name, schema_name, table_name from {{ ref('events') }}
    where outcome in ('change', 'duplicate')
        and {{ condition }}
        and (
            change_type = 'truncate'
            or (source_name, table_name, row_key) in (select source_name, table_name, old_row_key from {{ this }})
        )
    {%- endif %}
),

copies as (
    select * from {{ found }}
    {%- if is_incremental() %}
    union all
    select
        row_id,
        source_name,
        format,
        database_name,
        schema_name,
        table_name,
        row_key,
        old_row_id,
        old_row_key,
        old_change_id,
        struct(
            change_order,
            change_id,
            'update_postimage' as change_type,
            'partial' as image_scope,
            sent_image as row_image,
            sequence_number,
            event_at,
            cast(null as string) as before_hash,
            is_soft_deleted
        ) as change
    from {{ this }} as known
    left semi join touched_tables on {{ is_same_table('known', 'touched_tables') }}
    {%- endif %}
)

select * except (copy_number) from (
    select
        *,
        row_number() over (partition by change.change_id order by change.change_order) as copy_number
    from copies
)
where copy_number = 1
{%- endmacro %}
