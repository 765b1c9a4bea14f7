{#- What a Lindorm message means, by its named members and its record key. Both formats say the same in it. -#}
{% macro lindorm_meaning() -%}
nullif(table_path, '') as table_name,
{{ record_key('key', 'opened_key') }} as record_key,
case
    -- General Debezium sends no value behind a delete, for log compaction; without a key it is no such thing.
    when value is null and record_key is not null then 'tombstone'
    when operation = 'c' then 'insert'
    when operation = 'r' then 'upsert'
    when operation = 'u' then 'update'
    when operation = 'd' then 'delete'
    when operation = 't' then 'truncate'
    when operation = 'm' then 'message'
    when operation = 'HEARTBEAT' then 'heartbeat'
end as operation_kind,
coalesce(operation_kind in ('insert', 'upsert', 'update', 'delete'), false) as is_row_change,
coalesce(operation = 'r', false) as is_snapshot,
coalesce(before_image, '{}') <> '{}' as has_before,
coalesce(after_image, '{}') <> '{}' as has_after,
if(source_millis rlike r'^[0-9]{1,38}\z', cast(source_millis as decimal(38, 0)), null) as sequence_number,
-- Without the time of the change that of the capture orders nothing.
if(
    sequence_number is not null and emitted_millis rlike r'^[0-9]{1,38}\z',
    cast(emitted_millis as decimal(38, 0)),
    null
) as serial,
-- A delete without an image still names its row.
if(operation = 'd' and not has_before, record_key, null) as key_image,
-- The state that the change started from, for the fold: no row is an empty text; not everybody exports it.
case
    when not is_row_change then null
    when operation = 'c' then sha2('', 256)
    when has_before then sha2(before_image, 256)
    else 'unknown'
end as before_hash,
array_except(json_object_keys(if(has_after, before_image, null)), json_object_keys(after_image)) as removed,
if(array_size(removed) > 0, to_json(removed), null) as deleted_columns
{%- endmacro %}
