{#-
    The value table of Debezium envelopes (Lindorm): which kind of typed_value fits a type of the Connect schema. A type
    with a meaning that is not here is read as text: its carrier alone would say something else.
-#}
{% macro connect_kind(source_type) -%}
{%- set kinds = {
    'boolean': 'boolean', 'int8': 'tinyint', 'int16': 'smallint', 'int32': 'int', 'int64': 'bigint',
    'float': 'float', 'float32': 'float', 'double': 'double', 'float64': 'double', 'string': 'string',
    'bytes': 'binary_base64',
    'int64 io.debezium.time.timestamp': 'timestamp_millis',
    'int64 io.debezium.time.microtimestamp': 'timestamp_micros',
    'int64 org.apache.kafka.connect.data.timestamp': 'timestamp_millis',
    'string io.debezium.time.zonedtimestamp': 'timestamp_text',
} -%}
{{ kind_of(source_type, kinds) }}
{%- endmacro %}
