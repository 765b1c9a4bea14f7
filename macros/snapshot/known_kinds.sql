{% macro known_kinds() -%}
{{ return([
    'string', 'boolean', 'tinyint', 'smallint', 'int', 'bigint', 'decimal', 'float', 'double', 'date', 'time',
    'timestamp_text', 'timestamp_seconds', 'timestamp_millis', 'timestamp_micros', 'binary_base64', 'binary_latin1',
    'bit_base64', 'bit_number', 'enum_index', 'set_mask',
    'date_days', 'time_millis', 'time_micros', 'time_nanos', 'timestamp_nanos', 'decimal_base64', 'decimal_struct',
    'bit_base64_little', 'local_millis', 'local_micros', 'local_nanos',
]) }}
{%- endmacro %}
