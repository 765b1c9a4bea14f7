{#- Both writers: V1 has `value` and `schemaId`, V2 `payloadValue` and `payloadSchemaId`. -#}
{%- set members = {
    'version': 'version', 'opcode': 'opcode', 'sequence_text': 'sequence', 'nanos_text': 'timestampInNanos',
    'key_kind': 'keyType', 'key_text': 'key', 'key_bytes': 'keyBytes',
    'physical_text': 'physicalPartitionId', 'logical_text': 'logicalPartitionId',
    'source_text': 'srcId', 'end_of_period': 'endOfPeriod',
    'schema_text': 'schemaId', 'payload_schema_text': 'payloadSchemaId',
    'payload_schema_version': 'payloadSchemaVersion',
    'encoding': 'valueEnc', 'value_text': 'value', 'payload_text': 'payloadValue',
    'replicated': 'isReplicated', 'traced': 'traceEnabled', 'trace_on': 'traceOn',
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
        *,
        {{ named_members(members) }},
        coalesce(end_of_period = 'true', false) as is_end_of_period,
        coalesce(encoding in ('JSON_PLAIN_VALUE', 'JSON_PLAIN'), false) as is_plain,
        coalesce(value_text, payload_text) as sent_value,
        decode_base64(key_bytes) as decoded_key,
        decode_base64(coalesce(schema_text, payload_schema_text)) as decoded_schema,
        decode_base64(if(is_plain, null, sent_value)) as decoded_value,
        lower(hex(decoded_schema.result)) as schema_hex,
        -- The V2 writer sends a schema key as the text of its object, with the bytes at its end.
        if(
            key_kind = 'Schema' and key_text rlike r'Value=0x([0-9A-Fa-f]{2})*\z',
            unhex(regexp_extract(key_text, r'Value=0x([0-9A-Fa-f]*)\z', 1)),
            null
        ) as schema_key
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
    -- In the form of `read_databus` for the key of the same binary event.
    case
        when is_valid_utf8(cast(decoded_key.result as string))
            then to_json(named_struct('key', cast(decoded_key.result as string)))
        when decoded_key.result is not null
            then to_json(named_struct('key_base64', {{ base64_text('decoded_key.result') }}))
        when schema_key is not null then to_json(named_struct('key_base64', {{ base64_text('schema_key') }}))
        when coalesce(key_kind, 'Number') = 'Number' and key_text rlike r'^-?[0-9]{1,19}\z'
            then '{"key":' || cast(cast(key_text as decimal(38, 0)) as string) || '}'
        when key_text is not null then to_json(named_struct('key', key_text))
    end as message_key,
    if(sequence_text rlike r'^-?[0-9]{1,19}\z', cast(sequence_text as decimal(38, 0)), null) as sequence_number,
    try_cast(physical_text as int) as physical_partition,
    try_cast(logical_text as int) as logical_partition,
    try_cast(nanos_text as bigint) as timestamp_nanos,
    -- The end of a window requires only its sequence.
    if(is_end_of_period, -2, try_cast(source_text as int)) as source_id,
    if(schema_hex rlike '^0*$', null, schema_hex) as schema_id,
    try_cast(payload_schema_version as int) as schema_version,
    if(is_plain, encode(sent_value, 'UTF-8'), decoded_value.result) as avro_value,
    -- V1 omits these members if they are false.
    coalesce(replicated = 'true', false) as is_replicated,
    coalesce(traced, trace_on, 'false') = 'true' as is_traced,
    case
        when opened.error_code is not null then struct(opened.error_code as code, opened.error_detail as detail)
        when opcode not in ('UPSERT', 'DELETE') then {{ reason('unknown_operation', 'opcode') }}
        when not sequence_text rlike r'^-?[0-9]{1,19}\z' then {{ reason('invalid_sequence', 'sequence') }}
        when nanos_text is not null and try_cast(nanos_text as bigint) is null
            then {{ reason('invalid_timestamp', 'timestampInNanos') }}
        {%- for name in ['source_text', 'physical_text', 'logical_text', 'version', 'payload_schema_version'] %}
            when {{ name }} is not null and try_cast({{ name }} as int) is null
                then {{ reason('unexpected_type', members[name]) }}
        {%- endfor %}
        when encoding not in ('JSON', 'JSON_PLAIN_VALUE', 'JSON_PLAIN') then {{ reason('unexpected_type', 'valueEnc') }}
        when decoded_key.error is not null then {{ reason('invalid_base64', 'keyBytes') }}
        when decoded_schema.error is not null then {{ reason('invalid_base64', 'schemaId') }}
        when schema_hex is not null and length(schema_hex) <> 32 then {{ reason('unexpected_type', 'schemaId') }}
        when decoded_value.error is not null then {{ reason('invalid_base64', 'value') }}
        -- The writer of the plain form replaces bytes that are not text by this character: they are lost.
        when is_plain and contains(sent_value, '\uFFFD') then {{ reason('avro_unreadable', 'value: bytes were lost') }}
    end as reason
from named
