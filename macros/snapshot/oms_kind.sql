{#-
    The value table of OceanBase OMS, for all of its formats: which kind of typed_value fits a type of the source
    database. docs/formats/values.md says what the values look like. What is not in it is a kind itself.
-#}
{% macro oms_kind(source_type) -%}
{%- set kinds = {
    'bool': 'boolean', 'boolean': 'boolean',
    'tinyint': 'tinyint', 'tinyint unsigned': 'smallint',
    'smallint': 'smallint', 'smallint unsigned': 'int',
    'mediumint': 'int', 'mediumint unsigned': 'int', 'year': 'int',
    'int': 'int', 'integer': 'int', 'int unsigned': 'bigint', 'integer unsigned': 'bigint',
    'bigint': 'bigint', 'int64': 'bigint', 'bigint unsigned': 'decimal(20,0)',
    'decimal': 'decimal', 'numeric': 'decimal', 'float': 'float', 'double': 'double',
    'char': 'string', 'varchar': 'string', 'enum': 'string', 'set': 'string', 'json': 'string', 'interval': 'string',
    'tinytext': 'string', 'text': 'string', 'mediumtext': 'string', 'longtext': 'string', 'clob': 'string',
    'binary': 'binary_base64', 'varbinary': 'binary_base64', 'tinyblob': 'binary_base64', 'blob': 'binary_base64',
    'mediumblob': 'binary_base64', 'longblob': 'binary_base64', 'bit': 'bit_base64',
    'date': 'date', 'time': 'time', 'datetime': 'timestamp_text', 'timestamp': 'timestamp_seconds',
} -%}
{{ kind_of(source_type, kinds) }}
{%- endmacro %}
