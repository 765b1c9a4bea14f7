-- A rule for any source is repeated for each configured one, so that events need equality joins only.
select
    cdc_sources.source_name,
    table_keys.table_name,
    sort_array(collect_list(struct(
        size(array_compact(array(
            table_keys.source_name, table_keys.database_name, table_keys.schema_name, table_keys.table_name
        ))) as specificity,
        table_keys.database_name,
        table_keys.schema_name,
        {{ name_list('table_keys.key_columns') }} as key_columns,
        {{ name_list('table_keys.lob_columns') }} as lob_columns,
        table_keys.soft_delete_column
    )), false) as rules
from {{ ref('table_keys') }} as table_keys
inner join {{ ref('cdc_sources') }} as cdc_sources
    on coalesce(table_keys.source_name, cdc_sources.source_name) = cdc_sources.source_name
group by cdc_sources.source_name, table_keys.table_name
