select * from {{ ref('base_lindorm__events') }}
where format = 'lindorm_sql'
