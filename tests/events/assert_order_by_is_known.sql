-- A setting that would be passed over in silence. A cdc_sources.csv without the column sets none.
select
    source_name,
    order_by
from (
    select
        cdc_sources.source_name,
        trim(get_json_object(to_json(struct(cdc_sources.*)), '$.order_by')) as order_by
    from {{ ref('cdc_sources') }} as cdc_sources
)
where order_by not in ('', 'position')
