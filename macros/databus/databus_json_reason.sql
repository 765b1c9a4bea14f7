{#- Why an event in a JSON form cannot be read, or null; what it means is judged together with the binary form. -#}
{% macro databus_json_reason() -%}
case
    when opened.error_code is not null
        then named_struct('code', opened.error_code, 'detail', opened.error_detail)
    when opcode not in ('UPSERT', 'DELETE') then {{ reason('unknown_operation', 'opcode') }}
    when not sequence_text rlike r'^-?[0-9]{1,19}\z' then {{ reason('invalid_sequence', 'sequence') }}
    when nanos_text is not null and try_cast(nanos_text as bigint) is null
        then {{ reason('invalid_timestamp', 'timestampInNanos') }}
    {%- for member, text in {
        'srcId': 'source_text',
        'physicalPartitionId': 'physical_text',
        'logicalPartitionId': 'logical_text',
        'version': 'version',
        'payloadSchemaVersion': 'payload_schema_version',
    }.items() %}
    when {{ text }} is not null and try_cast({{ text }} as int) is null
        then {{ reason('unexpected_type', member) }}
    {%- endfor %}
    when encoding not in ('JSON', 'JSON_PLAIN_VALUE', 'JSON_PLAIN') then {{ reason('unexpected_type', 'valueEnc') }}
    when decoded_key.error is not null then {{ reason('invalid_base64', 'keyBytes') }}
    when decoded_schema.error is not null then {{ reason('invalid_base64', 'schemaId') }}
    when schema_hex is not null and length(schema_hex) <> 32 then {{ reason('unexpected_type', 'schemaId') }}
    when decoded_value.error is not null then {{ reason('invalid_base64', 'value') }}
    -- The writer of the plain form puts this character for bytes that are no text: they are lost.
    when is_plain and contains(sent_value, '\uFFFD') then {{ reason('avro_unreadable', 'value: bytes were lost') }}
end
{%- endmacro %}
