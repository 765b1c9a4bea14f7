-- One current version for each row of current_rows, with the same image and change, and no other.
with versions as (
    select source_name, format, database_name, schema_name, table_name, row_key, last_change_id, row_image
    from {{ ref('row_history') }}
    where is_current
),

current_rows as (
    select source_name, format, database_name, schema_name, table_name, row_key, last_change_id, row_image
    from {{ ref('current_rows') }}
)

select
    'row_history' as only_in,
    *
from (
    select * from versions
    except all
    select * from current_rows
)
union all
select
    'current_rows' as only_in,
    *
from (
    select * from current_rows
    except all
    select * from versions
)
