select * from {{ ref('base_oms_default__events') }}
where format = 'oms_default_extend_column_type'
