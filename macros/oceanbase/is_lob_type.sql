{#- Whether the type that a message gives a column is that of a LOB: null in both images of an update then means that it
    did not change. A column that was null before loses nothing by that. A length behind the name does not count. -#}
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
