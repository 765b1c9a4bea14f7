{#- Both writers: V1 says `value` and `schemaId`, V2 `payloadValue` and `payloadSchemaId`. -#}
{%- set members = {
    'version': ['version', 'text'],
    'opcode': ['opcode', 'text'],
    'key_kind': ['keyType', 'text'],
    'key_text': ['key', 'text'],
    'key_bytes': ['keyBytes', 'text'],
    'sequence_text': ['sequence', 'text'],
    'physical_text': ['physicalPartitionId', 'text'],
    'logical_text': ['logicalPartitionId', 'text'],
    'nanos_text': ['timestampInNanos', 'text'],
    'source_text': ['srcId', 'text'],
    'end_of_period': ['endOfPeriod', 'text'],
    'schema_text': ['schemaId', 'text'],
    'payload_schema_text': ['payloadSchemaId', 'text'],
    'payload_schema_version': ['payloadSchemaVersion', 'text'],
    'encoding': ['valueEnc', 'text'],
    'value_text': ['value', 'text'],
    'payload_text': ['payloadValue', 'text'],
    'replicated': ['isReplicated', 'text'],
    'traced': ['traceEnabled', 'text'],
    'trace_on': ['traceOn', 'text'],
} -%}
with source as (
    select
        *,
        open_json(value, {{ json_members(members) }}) as opened
    from {{ landed_messages() }}
    where format = 'databus_json'
),

named as (
    select
        source_name,
        format,
        topic,
        partition,
        offset,
        landed_at,
        batch_id,
        value,
        opened,
        {{ named_members(members) }},
        coalesce(end_of_period = 'true', false) as is_end_of_period,
        coalesce(encoding in ('JSON_PLAIN_VALUE', 'JSON_PLAIN'), false) as is_plain,
        coalesce(value_text, payload_text) as sent_value,
        decode_base64(key_bytes) as decoded_key,
        decode_base64(coalesce(schema_text, payload_schema_text)) as decoded_schema,
        decode_base64(if(is_plain, null, sent_value)) as decoded_value,
        lower(hex(decoded_schema.result)) as schema_hex
    from source
)

select
    source_name,
    format,
    topic,
    partition,
    offset,
    landed_at,
    batch_id,
    value,
    0 as event_index,
    0 as occurrence,
    try_cast(coalesce(version, '0') as int) as version,
    cast(null as string) as byte_order,
    opcode,
    {{ databus_json_key() }} as message_key,
    if(sequence_text rlike r'^-?[0-9]{1,19}\z', cast(sequence_text as decimal(38, 0)), null) as sequence_number,
    try_cast(physical_text as int) as physical_partition,
    try_cast(logical_text as int) as logical_partition,
    try_cast(nanos_text as bigint) as timestamp_nanos,
    -- The end of a window needs no more than its sequence.
    if(is_end_of_period, -2, try_cast(source_text as int)) as source_id,
    if(schema_hex rlike '^0*$', null, schema_hex) as schema_id,
    try_cast(payload_schema_version as int) as schema_version,
    if(is_plain, encode(sent_value, 'UTF-8'), decoded_value.result) as avro_value,
    -- V1 leaves out what is off.
    coalesce(replicated = 'true', false) as is_replicated,
    coalesce(traced, trace_on, 'false') = 'true' as is_traced,
    {{ databus_json_reason() }} as reason
from named
