with source as (
    select
        *,
        {{ reason('unsupported_format', 'format') }} as reason
    from {{ landed_messages() }}
    where not coalesce({{ is_format_with('format') }}, false)
),

renamed as (
    select
        *,
        {{ change_id(['source_name', 'struct(batch_id, topic, partition, offset)'], 'null') }} as change_id,
        false as is_snapshot,
        'none' as image_scope,
        0 as event_index,
        {{ change_order('false', 'null', 'null', '1') }} as change_order,
        {{ metadata_map([]) }} as source_metadata
    from source
)

select
    {{ event_columns(absent=[
        'database_name', 'schema_name', 'table_name', 'key_columns', 'message_key', 'null_in_both', 'change_type',
        'row_image', 'source_operation', 'fold_scope', 'before_hash', 'missing_columns', 'may_change_key',
        'sequence_number', 'event_at', 'emitted_at', 'checkpoint_at', 'transaction_id', 'control_kind', 'ddl_kind',
        'ddl_text', 'ddl_meta_text',
    ]) | indent(4) }}
from renamed
