{#-
    The names of the tables of a schema-change message: the last part of each id of `tableChanges`, such as
    "inventory"."customers", else the list in `source.table`. For a DROP only the dropped tables.
-#}
{% macro debezium_tables(table_changes, source_table, statement_kind) -%}
coalesce(
    nullif(
        transform(
            filter(
                {{ table_changes }},
                change -> change.type = 'DROP' or coalesce({{ statement_kind }}, '') <> 'DROP_TABLE'
            ),
            -- A quote inside a quoted name is doubled.
            change -> replace(element_at(if(
                contains(change.id, '"'),
                regexp_extract_all(change.id, '"((?:[^"]|"")*+)"', 1),
                split(change.id, '[.]')
            ), -1), '""', '"')
        ),
        array()
    ),
    split(nullif({{ source_table }}, ''), ','),
    array()
)
{%- endmacro %}
