{#- The reason for quarantine: a code of seeds/reason_codes.csv and a detail that never quotes the payload. -#}
{% macro reason(code, detail) -%}
{%- set codes = [
    'missing_operation', 'unknown_operation', 'missing_table', 'missing_sequence', 'invalid_sequence',
    'invalid_timestamp', 'missing_image', 'unexpected_image', 'key_mismatch', 'unsupported_format', 'invalid_base64',
    'invalid_time_zone', 'unexpected_type', 'flattened_message', 'avro_unknown_schema', 'avro_unreadable',
    'key_only_image',
] -%}
{%- if code not in codes -%}
    {{ exceptions.raise_compiler_error(
        "macro reason: '" ~ code ~ "' is not a reason code for SQL; expected one of " ~ codes | join(', ')
        ~ ". Add a new one here and in seeds/reason_codes.csv."
    ) }}
{%- endif -%}
named_struct('code', '{{ code }}', 'detail', '{{ detail }}')
{%- endmacro %}
