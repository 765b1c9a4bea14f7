{#- Of a statement the last part of each id of `tableChanges`, such as "inventory"."customers", else the list in
    `source.table`; of a DROP only the dropped tables. -#}
{% macro debezium_tables() -%}
case
    when is_statement and is_of_database then array(cast(null as string))
    when is_statement then coalesce(
        nullif(
            array_compact(transform(
                filter(table_changes, change -> change.type = 'DROP' or coalesce(statement_kind, '') <> 'DROP_TABLE'),
                -- A quote inside a quoted name is doubled.
                change -> replace(try_element_at(if(
                    contains(change.id, '"'),
                    regexp_extract_all(change.id, '"((?:[^"]|"")*+)"', 1),
                    split(change.id, '[.]')
                ), -1), '""', '"')
            )),
            array()
        ),
        split(nullif(origin['table'], ''), ','),
        array()
    )
    else array(coalesce(nullif(origin['table'], ''), nullif(origin['collection'], '')))
end
{%- endmacro %}
