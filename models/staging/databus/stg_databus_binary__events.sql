select * from {{ ref('base_databus__events') }}
where format = 'databus_binary'
