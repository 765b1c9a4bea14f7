{#- Whether a column type in a message is a LOB type: null in both images of an update then means that the column did
    not change, which is also correct for a column that was null before. A length after the name is ignored. -#}
{% macro is_lob_type(type) -%}
coalesce(
    regexp_extract(upper({{ type }}), '^[A-Z]+', 0) in (
        'TINYTEXT', 'TEXT', 'MEDIUMTEXT', 'LONGTEXT', 'CLOB', 'NCLOB', 'TINYBLOB', 'BLOB', 'MEDIUMBLOB', 'LONGBLOB',
        'JSON', 'XML', 'XMLTYPE', 'UDT', 'GIS', 'GEOMETRY', 'POINT', 'LINESTRING', 'POLYGON', 'MULTIPOINT',
        'MULTILINESTRING', 'MULTIPOLYGON', 'GEOMETRYCOLLECTION'
    ),
    false
)
{%- endmacro %}
