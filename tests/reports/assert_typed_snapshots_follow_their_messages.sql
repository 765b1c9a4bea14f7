{{ config(severity='warn') }}
select
    source_name,
    table_name,
    problem,
    remedy
from {{ ref('snapshot_lag') }}
