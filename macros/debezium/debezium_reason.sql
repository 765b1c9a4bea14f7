{% macro debezium_reason() -%}
case
    when operation_kind = 'tombstone' then null
    when opened.error_code is not null and startswith(value, X'00')
        then {{ reason('unexpected_type', 'value; found bytes that start as those of an Avro converter') }}
    when opened.error_code is not null then struct(opened.error_code as code, opened.error_detail as detail)
    when startswith(sent['ts_ms'], '{')
        then {{ reason('unexpected_type', 'before, after; found a union in the JSON encoding of Avro') }}
    when operation_kind is null and is_envelope and operation is not null then {{ reason('unknown_operation', 'op') }}
    when operation_kind is null and array_contains(names, 'specversion')
        then {{ reason('flattened_message', 'op; found an event of the CloudEvents converter') }}
    when operation_kind is null and envelope = '{}' and not startswith(payload, '{')
        then {{ reason('unexpected_type', 'payload') }}
    when operation_kind is null and envelope <> '{}' and not is_envelope
        then {{ reason('flattened_message', 'op, before, after, source; found the columns of a row') }}
    when operation_kind is null then {{ reason('missing_operation', 'op') }}
    when (is_row_change or operation_kind = 'truncate') and get(table_names, 0) is null and not is_of_database
        then {{ reason('missing_table', 'source.table') }}
    when {{ is_bad_millis(["origin['ts_ms']", "sent['ts_ms']"]) }}
        then {{ reason('invalid_timestamp', 'source.ts_ms, ts_ms') }}
    when not startswith(sent['before'], '{') or not startswith(sent['after'], '{')
        or nullif(opened_before.error_code, 'empty_value') is not null
        or nullif(opened_after.error_code, 'empty_value') is not null
        then {{ reason('unexpected_type', 'before, after') }}
    -- A value at a path inside a field does not replace the field.
    when has_fields
        and (contains(array_join(json_object_keys(sent_after), ' '), '.') or size(fields.truncatedarrays) > 0)
        then {{ reason('missing_image', 'after; updateDescription names parts of fields') }}
    when operation_kind in ('insert', 'upsert', 'update') and coalesce(after_image, '{}') = '{}'
        then {{ reason('missing_image', 'after') }}
    when operation_kind = 'delete' and coalesce(before_image, '{}') = '{}' and message_key is null
        then {{ reason('missing_image', 'before') }}
    when coalesce(sent_before, '{}') <> '{}' and operation_kind not in ('update', 'delete')
        then {{ reason('unexpected_image', 'before') }}
    when coalesce(sent_after, '{}') <> '{}' and operation_kind not in ('insert', 'upsert', 'update')
        then {{ reason('unexpected_image', 'after') }}
end
{%- endmacro %}
