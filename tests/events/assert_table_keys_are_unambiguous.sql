-- Two rules of table_keys.csv that fit one table and are equally specific: which one counts would be chance.
with rules as (
    select
        row_number() over (order by source_name, database_name, schema_name, table_name, key_columns) as rule_number,
        nullif(trim(source_name), '') as source_name,
        nullif(trim(database_name), '') as database_name,
        nullif(trim(schema_name), '') as schema_name,
        nullif(trim(table_name), '') as table_name,
        key_columns
    from {{ ref('table_keys') }}
),

measured as (
    select
        *,
        int(source_name is not null) + int(database_name is not null) + int(schema_name is not null)
        + int(table_name is not null) as specificity
    from rules
)

select
    one.source_name,
    one.database_name,
    one.schema_name,
    one.table_name,
    one.key_columns,
    other.source_name as other_source_name,
    other.database_name as other_database_name,
    other.schema_name as other_schema_name,
    other.table_name as other_table_name,
    other.key_columns as other_key_columns
from measured as one
inner join measured as other
    on one.rule_number < other.rule_number
        and one.specificity = other.specificity
        and coalesce(one.source_name = other.source_name, true)
        and coalesce(one.database_name = other.database_name, true)
        and coalesce(one.schema_name = other.schema_name, true)
        and coalesce(one.table_name = other.table_name, true)
