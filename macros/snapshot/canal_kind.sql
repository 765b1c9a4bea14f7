{#-
    The value table of native Canal, whose values are all texts: which kind of typed_value fits a type of MySQL, as
    `mysqlType` spells it. docs/formats/values.md says what the values look like. What is not in it is a kind itself.
-#}
{% macro canal_kind(source_type) -%}
{%- set kinds = {
    'bool': 'boolean', 'boolean': 'boolean',
    'tinyint': 'tinyint', 'tinyint unsigned': 'smallint',
    'smallint': 'smallint', 'smallint unsigned': 'int',
    'mediumint': 'int', 'mediumint unsigned': 'int', 'year': 'int',
    'int': 'int', 'integer': 'int', 'int unsigned': 'bigint', 'integer unsigned': 'bigint',
    'bigint': 'bigint', 'bigint unsigned': 'decimal(20,0)',
    'decimal': 'decimal', 'numeric': 'decimal', 'float': 'float', 'double': 'double',
    'char': 'string', 'varchar': 'string', 'json': 'string',
    'tinytext': 'string', 'text': 'string', 'mediumtext': 'string', 'longtext': 'string',
    'enum': 'enum_index', 'set': 'set_mask', 'bit': 'bit_number',
    'binary': 'binary_latin1', 'varbinary': 'binary_latin1', 'tinyblob': 'binary_latin1', 'blob': 'binary_latin1',
    'mediumblob': 'binary_latin1', 'longblob': 'binary_latin1', 'geometry': 'binary_latin1',
    'date': 'date', 'time': 'time', 'datetime': 'timestamp_text', 'timestamp': 'timestamp_text',
} -%}
{{ kind_of(source_type, kinds) }}
{%- endmacro %}
