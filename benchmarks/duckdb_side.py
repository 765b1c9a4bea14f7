"""The same work in DuckDB, as an experienced user would write it: one statement for each step.

It produces the columns of the changelog (and the outcome of every event) and of the current rows. It does not reject
duplicate members of a JSON object, keep numbers of more than 64 bits, read Base64 values, or keep ties.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb

THREADS = 2

PATHS = {
    "operation": "$.payload.op",
    "sequence_text": "$.payload.sequenceId",
    "before_image": "$.payload.before.dataColumn",
    "after_image": "$.payload.after.dataColumn",
    "event_millis": "$.payload.timestamp.eventTime",
    "system_millis": "$.payload.timestamp.systemTime",
    "checkpoint_millis": "$.payload.timestamp.checkpointTime",
    "key_names": "$.schema.primaryKey",
    "database_name": "$.schema.source.dbName",
    "schema_name": "$.schema.source.schemaName",
    "table_name": "$.schema.source.tableName",
    "db_type": "$.schema.source.dbType",
    "db_version": "$.schema.source.dbVersion",
    "version": "$.version",
}

_FLATTEN = """
copy (
    with opened as (
        select
            * exclude (value, key),
            value,
            -- one parse for all members; null for bytes that are no UTF-8 and for text that is no JSON
            try(json_extract_string(decode(value), [{paths}])) as members
        from read_parquet({files}, hive_partitioning = true)
    ),
    parsed as (
        select
            *,
            {members},
            case
                when operation = 'INSERT' then 'insert'
                when operation in ('UPDATE', 'UPDATE_BEFOR', 'UPDATE_BEFORE', 'UPDATE_AFTER') then 'update'
                when operation = 'DELETE' then 'delete'
                when operation in ('TRUNCATE', 'ERASE') then 'truncate'
                when operation in ('MHEARTBEAT', 'HEARTBEAT') then 'heartbeat'
            end as kind,
            -- Through HUGEINT: a text cast to DECIMAL(38) takes DuckDB 1.5 a hundred microseconds a row.
            cast(try_cast(sequence_text as hugeint) as decimal(38, 0)) as sequence,
            cast(try_cast(system_millis as hugeint) as decimal(38, 0)) as system_number,
            coalesce(sequence_text = '-1', false) as is_snapshot,
            case
                when members is null or operation is null or kind is null then 'malformed'
                when kind in ('heartbeat') then null
                when table_name is null or sequence is null then 'malformed'
                when operation in ('UPDATE', 'UPDATE_BEFOR', 'UPDATE_BEFORE', 'DELETE') and before_image is null
                    then 'missing_image'
                when operation in ('INSERT', 'UPDATE', 'UPDATE_AFTER') and after_image is null then 'missing_image'
            end as reason_code
        from opened
    ),
    imaged as (
        select
            *,
            case
                when reason_code is not null or kind = 'heartbeat' then [{{'side': null, 'row_image': null}}]
                when before_image is null then [{{'side': 'postimage', 'row_image': after_image}}]
                when after_image is null then [{{'side': 'preimage', 'row_image': before_image}}]
                else [
                    {{'side': 'preimage', 'row_image': before_image}},
                    {{'side': 'postimage', 'row_image': after_image}}
                ]
            end as images
        from parsed
    ),
    exploded as (
        select
            * exclude (images),
            unnest(images).side as side,
            unnest(images).row_image as row_image,
            generate_subscripts(images, 1) - 1 as event_index
        from imaged
    ),
    renamed as (
        select
            sha256(concat_ws(
                '|', source_name, database_name, coalesce(schema_name, '-'), table_name, coalesce(sequence_text, '-'),
                kind, side, case when kind = 'heartbeat' or is_snapshot then system_millis end,
                case
                    when reason_code is not null or kind = 'heartbeat' then concat(topic, partition, '-', "offset")
                end,
                row_image
            )) as change_id,
            source_name,
            format,
            database_name,
            schema_name,
            table_name,
            case when row_image is not null and key_names is not null then
                '{{' || list_aggregate(
                    list_transform(
                        list_sort(from_json(key_names, '["VARCHAR"]')),
                        lambda name: '"' || name || '":' || json_extract(row_image, '$."' || name || '"')
                    ),
                    'string_agg', ','
                ) || '}}'
            end as row_key,
            case when kind = 'update' then 'update_' || side when row_image is not null then kind end as change_type,
            is_snapshot,
            row_image,
            case when row_image is null then 'none' else 'full' end as image_scope,
            operation as source_operation,
            case when not is_snapshot then sequence end as sequence_number,
            case when event_millis not like '-%' then make_timestamp(try_cast(event_millis as bigint) * 1000) end
                as event_at,
            case when system_millis not like '-%' then make_timestamp(try_cast(system_millis as bigint) * 1000) end
                as emitted_at,
            cast(null as varchar) as transaction_id,
            {{
                'phase': case when is_snapshot then 0 else 1 end,
                'sequence': case when is_snapshot then system_number else sequence end,
                'serial': cast(null as decimal(38, 0)),
                'image_rank': case when side = 'preimage' then 0 else 1 end,
                'topic': topic,
                'partition': partition,
                'offset': "offset",
                'event_index': cast(event_index as integer)
            }} as change_order,
            topic,
            partition,
            "offset",
            cast(event_index as integer) as event_index,
            landed_at,
            batch_id,
            map_from_entries(list_filter(
                [('db_type', db_type), ('db_version', db_version), ('version', version),
                 ('checkpoint_millis', checkpoint_millis)],
                lambda entry: entry[2] is not null
            )) as source_metadata,
            reason_code,
            case when reason_code is not null then value end as unread_value
        from exploded
    ),
    numbered as (
        select
            *,
            row_number() over (
                partition by change_id order by landed_at, batch_id, topic, partition, "offset", event_index
            ) as copy_number
        from renamed
    )
    select
        * exclude (copy_number),
        case
            when reason_code is not null then 'quarantined'
            when copy_number > 1 then 'duplicate'
            when change_type is not null then 'change'
            else 'control'
        end as outcome
    from numbered
) to {target} (format parquet, compression snappy)
"""

_FOLD = """
copy (
    with newest as (
        select
            source_name,
            format,
            database_name,
            schema_name,
            table_name,
            row_key,
            arg_max(
                {{
                    'row_image': row_image,
                    'last_change_id': change_id,
                    'last_change_type': change_type,
                    'sequence_number': sequence_number,
                    'event_at': event_at,
                    'change_order': change_order
                }},
                change_order
            ) as newest
        from read_parquet({changes})
        where outcome = 'change' and row_key is not null
        group by all
    )
    select
        * exclude (newest),
        unnest(newest),
        newest.last_change_type in ('delete', 'update_preimage') as is_deleted
    from newest
) to {target} (format parquet, compression snappy)
"""


def connect(spill: Path) -> duckdb.DuckDBPyConnection:
    """Open an in-memory DuckDB with as many threads as Spark has cores."""
    connection = duckdb.connect(config={"threads": THREADS, "temp_directory": str(spill)})
    # Both sides may write rows in any order.
    connection.execute("set preserve_insertion_order = false")
    connection.execute("set timezone = 'UTC'")
    return connection


def flatten(connection: duckdb.DuckDBPyConnection, files: Sequence[str], target: Path) -> None:
    """Write one row per event of the messages in the Parquet files of landing.messages."""
    members = ",\n            ".join(f"members[{place}] as {name}" for place, name in enumerate(PATHS, 1))
    statement = _FLATTEN.format(
        paths=", ".join(map(text, PATHS.values())),
        files=f"[{', '.join(map(text, files))}]",
        members=members,
        target=text(str(target)),
    )
    connection.execute(statement)


def fold(connection: duckdb.DuckDBPyConnection, changes: Path, target: Path) -> None:
    """Write the newest state of each key, deleted ones marked."""
    connection.execute(_FOLD.format(changes=text(str(changes)), target=text(str(target))))


def text(value: str) -> str:
    """Return a text as a literal."""
    return "'" + value.replace("'", "''") + "'"
