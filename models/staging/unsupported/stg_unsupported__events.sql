-- Conservation: a message of a format that no other staging model reads still has its event, in quarantine.
with source as (
    select
        *,
        {{ reason('unsupported_format', 'format') }} as reason
    from {{ landed_messages() }}
    where not coalesce({{ is_format_with('format') }}, false)
),

renamed as (
    select
        ---------- identity
        {{ change_id(['source_name', 'struct(batch_id, topic, partition, offset)'], 'null') }} as change_id,
        source_name,
        format,
        cast(null as string) as database_name,
        cast(null as string) as schema_name,
        cast(null as string) as table_name,
        cast(null as array<string>) as key_columns,
        cast(null as string) as message_key,
        cast(null as array<string>) as null_in_both,
        ---------- change
        cast(null as string) as change_type,
        false as is_snapshot,
        cast(null as string) as row_image,
        'none' as image_scope,
        cast(null as string) as source_operation,
        {{ fold_columns() }},
        ---------- order
        cast(null as decimal(38, 0)) as sequence_number,
        cast(null as timestamp) as event_at,
        cast(null as timestamp) as emitted_at,
        cast(null as timestamp) as checkpoint_at,
        cast(null as string) as transaction_id,
        0 as event_index,
        {{ change_order('false', 'null', 'null', '1', '0') }} as change_order,
        ---------- provenance
        topic,
        partition,
        offset,
        landed_at,
        batch_id,
        map_from_arrays(cast(array() as array<string>), cast(array() as array<string>)) as source_metadata,
        ---------- control and quarantine
        cast(null as string) as control_kind,
        cast(null as string) as ddl_kind,
        cast(null as string) as ddl_text,
        cast(null as string) as ddl_meta_text,
        reason.code as reason_code,
        reason.detail as reason_detail,
        value
    from source
)

select * from renamed
