{#- What a SharePlex message means, by its named members; times are read in the `time_zone` of the source. -#}
{% macro oms_shareplex_meaning() -%}
{{ ddl_kind('ddl_text') }} as statement_kind,
case operation
    when 'ins' then 'insert'
    when 'upd' then 'update'
    when 'del' then 'delete'
    when 'ddl' then if(statement_kind in ('TRUNCATE_TABLE', 'DROP_TABLE'), 'truncate', 'schema_change')
end as operation_kind,
coalesce(operation_kind in ('insert', 'update', 'delete'), false) as is_row_change,
nullif(regexp_extract(table_path, r'(?s)^([^.]*)\.', 1), '') as database_name,
nullif(regexp_replace(table_path, r'(?s)^[^.]*\.', ''), '') as table_name,
nullif(nullif(scn, ''), 'null') as sequence_text,
to_utc_timestamp({{ timestamp_from_text('time') }}, time_zone) as event_at,
to_utc_timestamp({{ timestamp_from_text('posttime') }}, time_zone) as emitted_at,
try_cast(sequence_text as decimal(38, 0)) as sequence_number,
{{ order_in_second('sequence_text', 'unix_seconds(event_at)') }} as order_in_second,
-- Table names may contain the dash that stands before the key values.
coalesce(startswith(rowid, table_path || '-'), false) as has_key_values,
nullif(if(has_key_values, substr(rowid, length(table_path) + 2), rowid), '') as row_identity,
split(if(has_key_values, row_identity, null), r'\x01') as key_values,
json_object_keys(key_image) as key_names,
json_object_keys(data_image) as data_names,
if(operation = 'upd', data_image, null) as changed_image,
-- OMS sends the whole row as the key, Quest its key columns alone: a row has more columns than key values.
coalesce(array_size(key_names) > array_size(key_values), false) as is_key_full,
-- Which columns the key values belong to is not told, so this is a hint and no more.
arrays_overlap(key_values, map_values(read_columns(changed_image))) as may_change_key
{%- endmacro %}
