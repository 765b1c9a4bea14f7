-- A rule of table_keys.csv that would be passed over in silence, or read as something else than it says.
with rules as (
    select
        *,
        {{ name_list('key_columns') }} as names
    from {{ ref('table_keys') }}
)

select
    rules.source_name,
    rules.table_name,
    rules.key_columns,
    case
        when cdc_sources.source_name is null and trim(rules.source_name) <> '' then 'source is not in cdc_sources.csv'
        else 'key_columns is no list of names'
    end as problem
from rules
left join {{ ref('cdc_sources') }} as cdc_sources on trim(rules.source_name) = cdc_sources.source_name
where (cdc_sources.source_name is null and trim(rules.source_name) <> '')
    or (trim(rules.key_columns) <> '' and (rules.names is null or size(rules.names) = 0))
    or exists(rules.names, name -> name is null or name = '')
