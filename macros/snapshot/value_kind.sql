{#- For an unknown logical type of a Connect schema `watershed snapshots` writes string, because its physical type would
    have another meaning. -#}
{% macro value_kind(column, family=none) -%}
{#- Types that OceanBase OMS and native Canal, which send all values as text, name alike. -#}
{%- set mysql = {
    'bool': 'boolean', 'boolean': 'boolean', 'tinyint': 'tinyint', 'tinyint unsigned': 'smallint',
    'smallint': 'smallint', 'smallint unsigned': 'int', 'mediumint': 'int', 'mediumint unsigned': 'int', 'year': 'int',
    'int': 'int', 'integer': 'int', 'int unsigned': 'bigint', 'integer unsigned': 'bigint',
    'bigint': 'bigint', 'bigint unsigned': 'decimal(20,0)', 'decimal': 'decimal', 'numeric': 'decimal',
    'float': 'float', 'double': 'double', 'date': 'date', 'time': 'time', 'datetime': 'timestamp_text',
    'char': 'string', 'varchar': 'string', 'json': 'string',
    'tinytext': 'string', 'text': 'string', 'mediumtext': 'string', 'longtext': 'string',
} -%}
{%- set families = {
    none: {},
    'oms': dict(mysql, **{
        'int64': 'bigint', 'bigint': 'decimal(20,0)', 'clob': 'string', 'enum': 'string', 'set': 'string',
        'binary': 'binary_base64', 'varbinary': 'binary_base64', 'tinyblob': 'binary_base64', 'blob': 'binary_base64',
        'mediumblob': 'binary_base64', 'longblob': 'binary_base64', 'bit': 'bit_base64',
        'interval': 'string', 'timestamp': 'timestamp_seconds',
    }),
    'canal': dict(mysql, **{
        'enum': 'enum_index', 'set': 'set_mask', 'bit': 'bit_number', 'timestamp': 'timestamp_text',
        'binary': 'binary_latin1', 'varbinary': 'binary_latin1', 'tinyblob': 'binary_latin1', 'blob': 'binary_latin1',
        'mediumblob': 'binary_latin1', 'longblob': 'binary_latin1', 'geometry': 'binary_latin1',
    }),
    'datahub': {'long': 'bigint', 'date': 'timestamp_millis', 'bytes': 'binary_base64'},
    'connect': {
        'int8': 'tinyint', 'int16': 'smallint', 'int32': 'int', 'int64': 'bigint', 'float32': 'float',
        'float64': 'double', 'bytes': 'binary_base64', 'int32 io.debezium.time.year': 'int',
        'int64 io.debezium.time.timestamp': 'local_millis', 'int64 io.debezium.time.microtimestamp': 'local_micros',
        'int64 org.apache.kafka.connect.data.timestamp': 'timestamp_millis',
        'string io.debezium.time.zonedtimestamp': 'timestamp_text',
        'int32 io.debezium.time.date': 'date_days', 'int32 org.apache.kafka.connect.data.date': 'date_days',
        'int32 io.debezium.time.time': 'time_millis', 'int32 org.apache.kafka.connect.data.time': 'time_millis',
        'int64 io.debezium.time.microtime': 'time_micros', 'int64 io.debezium.time.nanotime': 'time_nanos',
        'int64 io.debezium.time.nanotimestamp': 'local_nanos',
        'int64 io.debezium.time.microduration': 'bigint', 'int64 io.debezium.time.nanoduration': 'bigint',
        'bytes org.apache.kafka.connect.data.decimal': 'decimal_base64',
        'struct io.debezium.data.variablescaledecimal': 'decimal_struct',
        'bytes io.debezium.data.bits': 'bit_base64_little',
    },
    'avro': {
        'long': 'bigint', 'bytes': 'binary_base64', 'fixed': 'binary_base64', 'enum': 'string',
        'long timestamp-millis': 'timestamp_millis', 'long timestamp-micros': 'timestamp_micros',
    },
} -%}
{%- if family not in families -%}
    {{ exceptions.raise_compiler_error(
        "typed_snapshot: family is 'oms', 'canal', 'datahub', 'connect', 'avro' or none, not '" ~ family ~ "'"
    ) }}
{%- endif -%}
{{ kind_of(column.type, families[family]) }}
{%- endmacro %}
