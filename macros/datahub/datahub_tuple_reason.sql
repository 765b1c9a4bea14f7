{#- Why a Tuple row cannot be read, or null. -#}
{% macro datahub_tuple_reason() -%}
case
    when opened.error_code is not null
        then named_struct('code', opened.error_code, 'detail', opened.error_detail)
    when coalesce(operation, 'I') not in ('I', 'U', 'D')
        then {{ reason('unknown_operation', '_operation_type_') }}
    when before_flag is null or after_flag is null
        then {{ reason('missing_image', '_before_image_ or _after_image_ is missing') }}
    when flagged_type is null
        then {{ reason('unexpected_image', '_before_image_ and _after_image_ do not fit _operation_type_') }}
    when coalesce(row_image, '{}') = '{}' then {{ reason('missing_image', 'the row has no columns of its own') }}
    when table_name is null then {{ reason('missing_table', '_source_table_') }}
    when not sequence_text rlike r'^[0-9]{0,38}\z'
        and not (is_snapshot and flagged_type in ('insert', 'upsert'))
        then {{ reason('invalid_sequence', '_sequence_id_') }}
    when {{ is_bad_millis(['event_millis']) }} then {{ reason('invalid_timestamp', '_excute_time_') }}
end
{%- endmacro %}
