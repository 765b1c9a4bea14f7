{#- The value table of DataHub Blob messages: which kind of typed_value fits a type of `schema.dataColumn`. -#}
{% macro datahub_kind(source_type) -%}
{%- set kinds = {
    'boolean': 'boolean', 'long': 'bigint', 'double': 'double', 'string': 'string', 'date': 'timestamp_millis',
    'bytes': 'binary_base64',
} -%}
{{ kind_of(source_type, kinds) }}
{%- endmacro %}
