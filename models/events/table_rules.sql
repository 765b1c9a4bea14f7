with rules as (
    select
        source_name,
        database_name,
        schema_name,
        table_name,
        {{ name_list('key_columns') }} as key_columns,
        {{ name_list('lob_columns') }} as lob_columns,
        soft_delete_column
    from {{ ref('table_keys') }}
),

-- A rule for any source is repeated for each configured one, so that events need equality joins only.
spread as (
    select
        cdc_sources.source_name,
        rules.table_name,
        struct(
            if(rules.source_name is null, 0, 1) + if(rules.database_name is null, 0, 1)
            + if(rules.schema_name is null, 0, 1) + if(rules.table_name is null, 0, 1) as specificity,
            rules.database_name,
            rules.schema_name,
            rules.key_columns,
            rules.lob_columns,
            rules.soft_delete_column
        ) as rule
    from rules
    inner join {{ ref('cdc_sources') }} as cdc_sources
        on coalesce(rules.source_name, cdc_sources.source_name) = cdc_sources.source_name
)

select
    source_name,
    table_name,
    sort_array(collect_list(rule), false) as rules
from spread
group by source_name, table_name
