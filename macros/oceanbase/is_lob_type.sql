{#- Whether the types of a message call a column a LOB: null in both images of an update then means that it did not
    change. A column that was null before loses nothing by that. The first of the types that names the column counts. -#}
{% macro is_lob_type(column, types) -%}
coalesce(
    upper(coalesce(
        {%- for given in types %}
        from_json({{ given }}, 'map<string, struct<schemaType: string>>')[{{ column }}].schemaType
        {{- "," if not loop.last }}
        {%- endfor %}
    )) in (
        'TINYTEXT', 'TEXT', 'MEDIUMTEXT', 'LONGTEXT', 'CLOB', 'NCLOB', 'TINYBLOB', 'BLOB', 'MEDIUMBLOB', 'LONGBLOB',
        'JSON', 'XML', 'XMLTYPE', 'UDT', 'GIS', 'GEOMETRY', 'POINT', 'LINESTRING', 'POLYGON', 'MULTIPOINT',
        'MULTILINESTRING', 'MULTIPOLYGON', 'GEOMETRYCOLLECTION'
    ),
    false
)
{%- endmacro %}
