{#- Members are below `payload` or at the top. MongoDB sends documents as JSON texts, or only changed fields. -#}
{% macro debezium_messages() -%}
{%- set members = {
    'payload': ['payload', 'any'], 'plain': ['', 'object', {'without': ['payload', 'schema']}],
    'connect_schema': ['schema', 'any'],
} -%}
{%- set document_members = json_members({'document': ['', 'object']}) -%}
(
    select
        *,
        {{ named_members(members) | indent(8) }},
        {{ record_key('key', 'opened_key') | indent(8) }} as sent_key,
        if({{ is_null_key('sent_key') }}, null, sent_key) as message_key,
        if(startswith(payload, '{'), payload, plain) as envelope,
        json_object_keys(envelope) as names,
        read_columns(envelope) as sent,
        from_json(sent['source'], 'map<string, string>') as origin,
        -- A flattened row may have columns of these names. A heartbeat of OMS has no image and no source.
        origin is not null or coalesce(startswith(sent['before'], '{') or startswith(sent['after'], '{'), false)
        or names in (array('op'), array('op', 'ts_ms'), array('after', 'before', 'op', 'ts_ms')) as is_envelope,
        from_json(sent['transaction'], 'struct<id: string, total_order: string>') as in_transaction,
        from_json(sent['tableChanges'], 'array<struct<type: string, id: string>>') as table_changes,
        sent['op'] as operation,
        nullif(sent['ddl'], 'N/A') as statement, -- SQL Server and Db2 have none
        -- It follows a delete, so that Kafka may compact the topic. Some converters write the null as JSON.
        coalesce(octet_length(key), 0) > 0 and (value is null or cast(value as string) rlike
            r'^\s*(null|[{]\s*"(schema|payload)"\s*:\s*null\s*,\s*"(schema|payload)"\s*:\s*null\s*[}])\s*\z'
        ) as is_tombstone,
        envelope rlike '"(after|before|updatedFields)":"[{]' as has_documents,
        from_json(
            sent['updateDescription'],
            'struct<updatedFields: string, removedFields: array<string>, truncatedArrays: array<string>>'
        ) as fields,
        array_distinct(array_compact(fields.removedfields)) as removed,
        sent['after'] is null and (fields.updatedfields is not null or size(removed) > 0) as has_fields,
        open_json(if(has_documents, cast(sent['before'] as binary), null), {{ document_members }}) as opened_before,
        open_json(
            if(has_documents, cast(coalesce(sent['after'], fields.updatedfields) as binary), null),
            {{ document_members }}
        ) as opened_after,
        if(has_documents, opened_before.members[0], sent['before']) as sent_before,
        coalesce(
            -- A removed field becomes null, because a partial document cannot express it otherwise.
            overlay_images(if(has_fields, array(
                opened_after.members[0],
                to_json(map_from_arrays(removed, array_repeat(null, size(removed))))
            ), null)),
            if(has_documents, opened_after.members[0], sent['after'])
        ) as sent_after
    from (
        select
            *,
            open_json(value, {{ json_members(members) }}) as opened,
            {{ json_record_key('key') | indent(12) }} as opened_key
        from {{ landed_messages(with_key=true) | indent(8) }}
        where format = 'debezium'
    )
)
{%- endmacro %}
