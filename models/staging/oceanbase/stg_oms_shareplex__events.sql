{%- set members = {
    'operation': ['meta.op', 'text'],
    'time': ['meta.time', 'text'],
    'posttime': ['meta.posttime', 'text'],
    'table_path': ['meta.table', 'text'],
    'rowid': ['meta.rowid', 'text'],
    'scn': ['meta.scn', 'text'],
    'seq': ['meta.seq', 'text'],
    'idx': ['meta.idx', 'text'],
    'size': ['meta.size', 'text'],
    'trans': ['meta.trans', 'text'],
    'data_image': ['data', 'object'],
    'key_image': ['key', 'object'],
    'ddl_text': ['sql.ddl', 'text'],
} -%}
with source as (
    select
        *,
        open_json(value, {{ json_members(members) }}) as opened,
        {{ source_time_zone('messages.source_name') }} as time_zone
    from {{ landed_messages() }} as messages
    where format = 'oms_shareplex'
),

parsed as (
    select
        *,
        {{ named_members(members) }},
        {{ oms_shareplex_meaning() }},
        {{ oms_shareplex_reason() }} as reason,
        case operation when 'upd' then key_image when 'del' then data_image end as before_image,
        coalesce(
            overlay_images(if(changed_image is null, null, array(key_image, changed_image))),
            if(operation = 'ins', data_image, null)
        ) as after_image,
        -- A null that data says is a new value; one that only the key says may stand for a LOB that was not sent. What
        -- only the key says is the same after the update, so one look at the key tells it.
        array_except(
            null_columns(if(operation = 'upd', key_image, null), if(operation = 'upd', key_image, null)),
            map_keys(read_columns(changed_image))
        ) as null_in_both,
        -- A message that cannot be read is one event, whatever it holds.
        if(reason is null, {{ row_images('before_image', 'after_image') }}, null) as images
    from source
),

renamed as (
    select
        * except (null_in_both),
        ---------- identity
        -- `posttime`, `idx` and `size` differ in a second delivery. Its number may be the same for all, so it is also
        -- all that the message says of the row. DDL that is copied to every partition counts once; without time and
        -- number, only the position tells two equal changes apart.
        {{ change_id([
            'source_name', 'database_name', 'table_name', 'operation', 'image.side', 'time', 'ddl_text',
            'if(is_row_change, struct(sequence_number, seq, trans, row_identity, images.row_image), null)',
            'if(event_at is null, struct(sequence_number), null)',
            'if(event_at is null and sequence_number is null, struct(topic, partition, offset), null)',
            'if(reason is null, null, struct(batch_id, topic, partition, offset))',
        ], 'image.row_image') }} as change_id,
        if(row_identity is null, null, to_json(named_struct('rowid', row_identity))) as message_key,
        if(operation = 'upd' and image.side = 'postimage', null_in_both, null) as null_in_both,
        ---------- change
        {{ change_type('reason', 'operation_kind', 'image.side') }} as change_type,
        false as is_snapshot,
        image.row_image,
        -- After an update the image is the whole row if `key` was the row and has all changed columns.
        case
            when image is null then 'none'
            when operation <> 'upd' then 'full'
            when is_key_full and (image.side = 'preimage' or size(array_except(data_names, key_names)) = 0) then 'full'
            else if(image.side = 'preimage', 'key', 'partial')
        end as image_scope,
        operation as source_operation,
        ---------- order
        trans as transaction_id,
        coalesce(image_index, 0) as event_index,
        {{ change_order(
            'false', 'order_in_second.sequence', 'order_in_second.serial',
            image_rank('image.side', 'order_in_second.serial'), 'coalesce(image_index, 0)',
        ) }} as change_order,
        ---------- provenance, control
        {{ metadata_map(['time', 'posttime', 'seq', 'idx', 'size', 'trans', 'rowid', 'scn']) }} as source_metadata,
        {{ control_kind('reason', 'operation_kind') }} as control_kind,
        if(reason is null and operation = 'ddl', statement_kind, null) as ddl_kind
    from parsed
        lateral view posexplode_outer(images) exploded as image_index, image
)

select
    {{ event_columns(unsaid=[
        'schema_name', 'key_columns', 'fold_scope', 'before_hash', 'missing_columns', 'checkpoint_at', 'ddl_meta_text',
    ]) | indent(4) }}
from renamed
