-- A stream in Base64 text is decoded here too, because positions of events are counted in bytes.
with source as (
    select
        *,
        read_databus(value) as decoded,
        if(substr(value, 1, 1) in (X'00', X'02'), value, coalesce(decode_base64(cast(value as string)).result, value))
            as stream
    from {{ landed_messages() }}
    where format = 'databus_binary'
)

select
    * except (value, decoded, stream, event),
    -- A relay's error starts at the first byte that is not white space, so the whole message is kept.
    if(
        event.error_code = 'databus_remote_error' and event.event_index = 0,
        value,
        coalesce(substr(stream, event.byte_offset + 1, event.byte_length), value)
    ) as value,
    event.event_index,
    event.occurrence,
    event.version,
    event.byte_order,
    event.opcode,
    event.message_key,
    cast(event.sequence as decimal(38, 0)) as sequence_number,
    event.physical_partition,
    event.logical_partition,
    event.timestamp_nanos,
    event.source_id,
    event.schema_id,
    event.schema_version,
    event.value as avro_value,
    event.is_replicated,
    event.is_traced,
    if(event.error_code is null, null, named_struct('code', event.error_code, 'detail', event.error_detail)) as reason
from source
    -- There is always an event. Without `outer` Spark first filters values without events and so decodes all twice.
    lateral view outer explode(decoded) exploded as event
