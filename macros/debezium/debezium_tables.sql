{#-
    The names of the tables that a message of a schema-change topic is about: the last part of each id of
    `tableChanges`, such as "inventory"."customers", else what `source.table` lists. Of a DROP only the tables that it
    drops.
-#}
{% macro debezium_tables(table_changes, source_table, statement_kind) -%}
coalesce(
    nullif(
        transform(
            filter(
                {{ table_changes }},
                change -> change.type = 'DROP' or coalesce({{ statement_kind }}, '') <> 'DROP_TABLE'
            ),
            change -> element_at(
                if(contains(change.id, '"'), regexp_extract_all(change.id, '"([^"]*)"', 1), split(change.id, '[.]')), -1
            )
        ),
        array()
    ),
    split(nullif({{ source_table }}, ''), ','),
    array()
)
{%- endmacro %}
