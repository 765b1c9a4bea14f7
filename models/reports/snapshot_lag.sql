-- The snapshots of each column's table; it is enough if one of them has the column.
with compared as (
    select
        seen.source_name,
        seen.format,
        seen.database_name,
        seen.schema_name,
        seen.table_name,
        seen.column_name,
        -- Prefer the generated snapshot, because a command can extend it.
        min_by(
            struct(snapshots.model_name, snapshots.is_generated),
            struct(not snapshots.is_generated, snapshots.model_name)
        ) as snapshot,
        coalesce(bool_or(array_contains(snapshots.known_columns, seen.column_name)), false) as is_known
    from {{ ref('column_types') }} as seen
    inner join {{ ref('cdc_sources') }} as configured
        on seen.source_name = configured.source_name and seen.format = configured.format
    left join {{ ref('snapshot_list') }} as snapshots
        on seen.source_name = snapshots.source_name and seen.table_name = snapshots.table_name
            and coalesce(seen.database_name = snapshots.database_name, snapshots.database_name is null)
            and coalesce(seen.schema_name = snapshots.schema_name, snapshots.schema_name is null)
    group by all
),

lags as (
    select distinct
        * except (column_name, is_known),
        if(snapshot.model_name is null, null, column_name) as column_name,
        if(snapshot.model_name is null, 'new_table', 'new_column') as lag_kind
    from compared
    where (snapshot.model_name is not null and not is_known)
        or (
            snapshot.model_name is null
            -- Only `watershed snapshots` covers all tables of a source; hand-written snapshots are a choice of tables.
            and source_name in (
                select listed.source_name from {{ ref('snapshot_list') }} as listed
                where listed.is_generated
            )
            and not coalesce(
                source_name || '.' || table_name in ({{ sql_texts(var('tables_without_snapshot')) }}), false
            )
        )
)

select
    * except (snapshot),
    snapshot.model_name,
    case lag_kind
        when 'new_column'
            then 'messages contain the column ' || column_name || ', which ' || snapshot.model_name || ' lacks'
        else 'messages contain the table, which has no typed snapshot'
    end as problem,
    case
        when lag_kind = 'new_column' and not snapshot.is_generated
            then 'Add the column to ' || snapshot.model_name
                || ', or list it under meta: {leaves_out: [..]} in its YAML.'
        else
            '.venv/bin/watershed snapshots --source ' || {{ shell_word('source_name') }} || ' --table '
            || {{ shell_word('table_name') }}
            || '; then .venv/bin/dbt build --select path:models/typed_snapshots/generated snapshot_list snapshot_lag'
    end as remedy
from lags
