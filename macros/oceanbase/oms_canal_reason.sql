{#- Why a Canal message cannot be read, or null. An update needs the old values of each of its rows. -#}
{% macro oms_canal_reason() -%}
case
    when opened.error_code is not null
        then named_struct('code', opened.error_code, 'detail', opened.error_detail)
    when operation is null then {{ reason('missing_operation', 'type') }}
    when operation_kind is null then {{ reason('unknown_operation', 'type') }}
    when (is_row_change or operation_kind = 'truncate') and table_name is null
        then {{ reason('missing_table', 'table') }}
    when {{ is_bad_millis(['event_millis', 'built_millis']) }} then {{ reason('invalid_timestamp', 'es, ts') }}
    -- Also a change logged as a statement: its rows are not in the message.
    when is_row_change and (size(data_rows) = 0 or exists(data_rows, item -> not startswith(item, '{') or item = '{}'))
        then {{ reason('missing_image', 'data') }}
    when operation_kind = 'update'
        and (size(old_rows) < size(data_rows) or exists(old_rows, item -> not startswith(item, '{')))
        then {{ reason('missing_image', 'old') }}
    when size(data_rows) > 0 and not is_row_change then {{ reason('unexpected_image', 'data') }}
    when size(old_rows) > if(operation_kind = 'update', size(data_rows), 0)
        then {{ reason('unexpected_image', 'old') }}
end
{%- endmacro %}
