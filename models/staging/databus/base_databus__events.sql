with events as (
    select * from {{ ref('base_databus_binary') }}
    union all
    select * from {{ ref('base_databus_json') }}
),

-- One row per id even if the tables have several, because a join must not duplicate events.
avro_schemas as (
    select
        source_name,
        schema_id,
        max_by(struct(schema_text, key_columns), struct(landed_at, schema_text)) as writer
    from {{ source('landing', 'avro_schemas') }}
    group by source_name, schema_id
),

named_tables as (
    select
        source_name,
        source_id,
        max(table_name) as table_name
    from {{ ref('databus_sources') }}
    group by source_name, source_id
),

parsed as (
    select
        events.* except (reason, message_key),
        events.source_id >= 0 as is_data,
        -- Databus itself reads an event without an opcode as an UPSERT.
        if(is_data, if(events.opcode = 'DELETE', 'delete', 'upsert'), 'transaction_mark') as operation_kind,
        coalesce(length(events.avro_value), 0) > 0 as has_value,
        if(is_data, coalesce(named_tables.table_name, 'source_' || events.source_id), null) as table_name,
        if(is_data, events.message_key, null) as message_key,
        avro_schemas.writer.schema_text,
        avro_schemas.writer.key_columns,
        read_avro(if(is_data and has_value, events.avro_value, null), avro_schemas.writer.schema_text) as avro,
        coalesce(events.reason, case
            when is_data is null then {{ reason('missing_table', 'srcId') }}
            -- A mark ends its window by the sequence; `events` checks the sequence of a change.
            when not is_data and events.sequence_number is null then {{ reason('missing_sequence', 'sequence') }}
            when not is_data then null
            when not has_value and (operation_kind = 'upsert' or events.message_key is null)
                then {{ reason('missing_image', 'value') }}
            when has_value and avro_schemas.writer.schema_text is null
                then {{ reason('avro_unknown_schema', 'schema id of the value') }}
            when avro.error_code is not null then struct(avro.error_code as code, avro.error_detail as detail)
        end) as reason,
        if(is_data or not has_value, null, cast(events.avro_value as string)) as control_value
    from events
    left join avro_schemas
        on events.source_name = avro_schemas.source_name and events.schema_id = avro_schemas.schema_id
    left join named_tables
        on events.source_name = named_tables.source_name and events.source_id = named_tables.source_id
),

renamed as (
    select
        *,
        ---------- identity
        {{ change_id([
            'source_name', 'physical_partition', 'logical_partition', 'source_id', 'sequence_number', 'operation_kind',
            'message_key', 'occurrence',
            'if(is_data, null, struct(topic, partition, control_value))',
            'if(reason is null, null, struct(batch_id, topic, partition, offset, event_index))',
        ], 'avro.row_image') }} as change_id,
        ---------- change
        {{ change_type('reason', 'operation_kind', 'null') }} as change_type,
        false as is_snapshot,
        if(reason is null, avro.row_image, null) as row_image,
        if(reason is null and avro.row_image is not null, 'full', 'none') as image_scope,
        -- The opcode as sent; a control event has none and is named by its source id.
        case
            when is_data then opcode
            when source_id = -2 then 'END_OF_PERIOD'
            when source_id = -3 then 'CHECKPOINT'
            when source_id = -51 then 'SCN_REGRESS'
            when source_id between -49 and -5 then 'ERROR'
            when source_id < 0 then 'CONTROL'
        end as source_operation,
        ---------- order
        -- The clock of control events has an arbitrary origin.
        if(is_data and timestamp_nanos > 0, timestamp_micros(timestamp_nanos div 1000), null) as event_at,
        {{ change_order('false', 'sequence_number', 'null', '1') }} as change_order,
        ---------- provenance, control
        {{ metadata_map([
            'source_id', 'physical_partition', 'logical_partition', 'timestamp_nanos', 'schema_id', 'schema_version',
            'version', 'byte_order', 'is_replicated', 'is_traced', 'control_value',
        ]) }} as source_metadata,
        {{ control_kind('reason', 'operation_kind') }} as control_kind
    from parsed
)

select
    {{ event_columns(absent=[
        'database_name', 'schema_name', 'null_in_both', 'fold_scope', 'before_hash', 'missing_columns',
        'may_change_key', 'emitted_at', 'checkpoint_at', 'transaction_id', 'ddl_kind', 'ddl_text', 'ddl_meta_text',
    ]) | indent(4) }}
from renamed
