{%- set metadata_columns = [
    '_sequence_id_', '_operation_type_', '_excute_time_', '_execute_time_', '_source_table_', '_before_image_',
    '_after_image_',
] -%}
{%- set members = {
    'operation': '_operation_type_', 'sequence_text': '_sequence_id_',
    'excute_millis': '_excute_time_', 'execute_millis': '_execute_time_',
    'source_table': '_source_table_',
    'before_flag': '_before_image_', 'after_flag': '_after_image_',
    'row_image': ['', 'object', {'without': metadata_columns}],
} -%}
with source as (
    select
        *,
        open_json(value, {{ json_members(members) }}) as opened
    from {{ landed_messages() }}
    where format = 'datahub_tuple'
),

parsed as (
    select
        *,
        {{ named_members(members) }},
        -- DataHub spells it without the e, the DataWorks page with it.
        coalesce(excute_millis, execute_millis) as event_millis,
        -- A Tuple topic contains one table, so the topic names the table if the row does not. A recreated topic lands
        -- as topic@0002.
        coalesce(nullif(source_table, ''), nullif(regexp_replace(topic, r'@[0-9]{4}\z', ''), '')) as table_name,
        coalesce(sequence_text = '-1', false) as is_snapshot,
        try_cast(if(sequence_text = '-1', null, sequence_text) as decimal(38, 0)) as sequence_number,
        case concat_ws(',', coalesce(operation, ''), coalesce(before_flag, ''), coalesce(after_flag, ''))
            when 'I,N,Y' then 'insert'
            when 'U,Y,N' then 'update_preimage'
            when 'U,N,Y' then 'update_postimage'
            when 'D,Y,N' then 'delete'
            -- Older topics have no operation column: only the flags distinguish an existing row from a deleted one.
            when ',N,Y' then 'upsert'
            when ',Y,N' then 'delete'
        end as flagged_type,
        ---------- checks
        case
            when opened.error_code is not null then struct(opened.error_code as code, opened.error_detail as detail)
            when coalesce(operation, 'I') not in ('I', 'U', 'D')
                then {{ reason('unknown_operation', '_operation_type_') }}
            when before_flag is null or after_flag is null
                then {{ reason('missing_image', '_before_image_ or _after_image_ is missing') }}
            when flagged_type is null
                then {{ reason('unexpected_image', '_before_image_ and _after_image_ do not fit _operation_type_') }}
            when coalesce(row_image, '{}') = '{}'
                then {{ reason('missing_image', 'the row has no columns of its own') }}
            when table_name is null then {{ reason('missing_table', '_source_table_') }}
            when
                not sequence_text rlike r'^[0-9]{0,38}\z'
                and not (is_snapshot and flagged_type in ('insert', 'upsert'))
                then {{ reason('invalid_sequence', '_sequence_id_') }}
            when {{ is_bad_millis(['event_millis']) }} then {{ reason('invalid_timestamp', '_excute_time_') }}
        end as reason
    from source
),

renamed as (
    select
        * except (row_image),
        ---------- identity
        {{ change_id([
            'source_name', 'table_name', 'sequence_number', 'flagged_type',
            'if(is_snapshot, event_millis, null)',
            'if(reason is null, null, struct(batch_id, topic, partition, offset))',
        ], 'row_image') }} as change_id,
        ---------- change
        if(reason is null, flagged_type, null) as change_type,
        if(reason is null, row_image, null) as row_image,
        if(reason is null, 'full', 'none') as image_scope,
        operation as source_operation,
        ---------- order
        millis_timestamp(event_millis) as event_at,
        0 as event_index,
        {{ change_order(
            'is_snapshot', 'if(is_snapshot, try_cast(event_millis as decimal(38, 0)), sequence_number)', 'null',
            "if(before_flag = 'Y', 0, 1)",
        ) }} as change_order,
        ---------- provenance
        {{ metadata_map(['before_flag', 'after_flag']) }} as source_metadata
    from parsed
)

select
    {{ event_columns(absent=[
        'database_name', 'schema_name', 'key_columns', 'message_key', 'null_in_both', 'fold_scope', 'before_hash',
        'missing_columns', 'may_change_key', 'emitted_at', 'checkpoint_at', 'transaction_id', 'control_kind',
        'ddl_kind', 'ddl_text', 'ddl_meta_text',
    ]) | indent(4) }}
from renamed
