{#- Why a message of the Default formats cannot be read, or null: what `oms_default_meaning` found is judged here.
    Values of a key come from the images; their texts are counted only, and null and empty are not told apart in them.
    -#}
{% macro oms_default_reason() -%}
case
    when opened.error_code is not null
        then named_struct('code', opened.error_code, 'detail', opened.error_detail)
    when operation is null then {{ reason('missing_operation', 'recordType') }}
    when operation_kind is null then {{ reason('unknown_operation', 'recordType') }}
    when (is_row_change and coalesce(table_name, '') = '') or (operation_kind = 'truncate' and tables is null)
        then {{ reason('missing_table', 'allMetaData.table_name') }}
    when not sequence_text rlike r'^([0-9]{1,38}|null|)\z'
        then {{ reason('invalid_sequence', 'allMetaData.storeDataSequence') }}
    when event_seconds is null and timestamp_text not in ('', '-1', 'null')
        then {{ reason('invalid_timestamp', 'allMetaData.timestamp') }}
    when operation in ('UPDATE', 'DELETE') and not has_before then {{ reason('missing_image', 'prevStruct') }}
    when is_row_change and operation <> 'DELETE' and not has_after then {{ reason('missing_image', 'postStruct') }}
    when operation = 'DDL' and coalesce(ddl_text, '') = '' and coalesce(ddl_type, '') = ''
        then {{ reason('missing_image', 'postStruct.ddl') }}
    when has_before and operation not in ('UPDATE', 'REPLACE', 'DELETE')
        then {{ reason('unexpected_image', 'prevStruct') }}
    when has_after and operation in ('DELETE', 'HEARTBEAT') then {{ reason('unexpected_image', 'postStruct') }}
    when is_row_change
        and array_size(split(nullif(record_primary_value, ''), '\u0001')) <> coalesce(array_size(key_columns), 0)
        then {{ reason('key_mismatch', 'allMetaData.record_primary_key, record_primary_value') }}
end
{%- endmacro %}
