{#- The value table of Databus: which kind of typed_value fits a type that avro_type gives. -#}
{% macro avro_kind(source_type) -%}
{%- set kinds = {
    'boolean': 'boolean', 'int': 'int', 'long': 'bigint', 'float': 'float', 'double': 'double', 'string': 'string',
    'bytes': 'binary_base64', 'fixed': 'binary_base64', 'decimal': 'decimal', 'enum': 'string',
    'long timestamp-millis': 'timestamp_millis', 'long timestamp-micros': 'timestamp_micros',
} -%}
{{ kind_of(source_type, kinds) }}
{%- endmacro %}
