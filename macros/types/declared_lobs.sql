{#- The columns with a LOB type in a JSON object of types, in any case and with any length. No lambda, because Spark
    does not generate code for lambdas. -#}
{% macro declared_lobs(column_types) -%}
json_object_keys('{' || array_join(regexp_extract_all(
    {{ column_types }},
    r'"(?:[^"\\]|\\.)*+":"(?i:(?:TINY|MEDIUM|LONG)?(?:TEXT|BLOB)|N?CLOB|JSON|XML(?:TYPE)?|UDT|GIS'
    || r'|GEOMETRY(?:COLLECTION)?|(?:MULTI)?(?:POINT|LINESTRING|POLYGON))(?![A-Za-z])(?:[^"\\]|\\.)*+"',
    0
), ',') || '}')
{%- endmacro %}
