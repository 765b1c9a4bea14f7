{#- Null in both images of an update then means unchanged, which is correct for a column that was null, too. -#}
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
