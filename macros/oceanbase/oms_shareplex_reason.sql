{#- Why a SharePlex message cannot be read, or null. No sequence, no time and no key are no reason. -#}
{% macro oms_shareplex_reason() -%}
case
    when opened.error_code is not null
        then named_struct('code', opened.error_code, 'detail', opened.error_detail)
    when time_zone is null then {{ reason('invalid_time_zone', 'time_zone in cdc_sources.csv') }}
    when operation is null then {{ reason('missing_operation', 'meta.op') }}
    when operation_kind is null then {{ reason('unknown_operation', 'meta.op') }}
    when operation = 'ddl' and coalesce(ddl_text, '') = '' then {{ reason('missing_operation', 'sql.ddl') }}
    when operation_kind <> 'schema_change' and table_name is null
        then {{ reason('missing_table', 'meta.table') }}
    when not sequence_text rlike r'^[0-9]{1,38}\z' then {{ reason('invalid_sequence', 'meta.scn') }}
    when (event_at is null and not time like '0000-00-00T00:00:00%')
        or (emitted_at is null and not posttime like '0000-00-00T00:00:00%')
        then {{ reason('invalid_timestamp', 'meta.time, meta.posttime') }}
    -- An update may change no column (data is then empty, not missing).
    when is_row_change and nullif(data_image, if(operation = 'upd', '', '{}')) is null
        then {{ reason('missing_image', 'data') }}
    when operation = 'upd' and coalesce(key_image, '{}') = '{}' then {{ reason('missing_image', 'key') }}
    when operation <> 'upd' and key_image <> '{}' then {{ reason('unexpected_image', 'key') }}
    when operation = 'ddl' and data_image <> '{}' then {{ reason('unexpected_image', 'data') }}
end
{%- endmacro %}
