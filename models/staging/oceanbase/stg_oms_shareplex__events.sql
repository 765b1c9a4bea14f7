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
        source_name,
        format,
        topic,
        partition,
        offset,
        landed_at,
        batch_id,
        value,
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
        ---------- identity
        {{ oms_shareplex_change_id() }} as change_id,
        source_name,
        format,
        database_name,
        cast(null as string) as schema_name,
        table_name,
        cast(null as array<string>) as key_columns,
        if(row_identity is null, null, to_json(named_struct('rowid', row_identity))) as message_key,
        if(operation = 'upd' and image.side = 'postimage', null_in_both, null) as null_in_both,
        ---------- change
        case
            when reason is not null then null
            when operation_kind = 'update' then 'update_' || image.side
            when operation_kind in ('insert', 'delete', 'truncate') then operation_kind
        end as change_type,
        false as is_snapshot,
        image.row_image,
        {{ oms_shareplex_image_scope() }} as image_scope,
        operation as source_operation,
        {{ fold_columns(may_change_key='may_change_key') }},
        ---------- order
        sequence_number,
        event_at,
        emitted_at,
        cast(null as timestamp) as checkpoint_at,
        trans as transaction_id,
        coalesce(image_index, 0) as event_index,
        {{ change_order(
            'false', 'second_order.sequence', 'second_order.serial',
            image_rank('image.side', 'second_order.serial'), 'coalesce(image_index, 0)',
        ) }} as change_order,
        ---------- provenance
        topic,
        partition,
        offset,
        landed_at,
        batch_id,
        {{ metadata_map(['time', 'posttime', 'seq', 'idx', 'size', 'trans', 'rowid', 'scn']) }} as source_metadata,
        ---------- control and quarantine
        if(reason is null and operation_kind = 'schema_change', operation_kind, null) as control_kind,
        if(reason is null and operation = 'ddl', statement_kind, null) as ddl_kind,
        ddl_text,
        cast(null as string) as ddl_meta_text,
        reason.code as reason_code,
        reason.detail as reason_detail,
        value
    from parsed
        lateral view posexplode_outer(images) exploded as image_index, image
)

select * from renamed
