"""OMS Default in DuckDB: `duckdb_side.py` says what is left out; here also DDL, LOBs and configuration."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb

from benchmarks.duckdb_side import text

PATHS = {
    "operation": "$.recordType",
    "before_image": "$.prevStruct",
    "after_image": "$.postStruct",
    "db_type": "$.allMetaData.dbType",
    "db": "$.allMetaData.db",
    "table_name": "$.allMetaData.table_name",
    "record_primary_key": "$.allMetaData.record_primary_key",
    "record_primary_value": "$.allMetaData.record_primary_value",
    "sequence_text": "$.allMetaData.storeDataSequence",
    "timestamp_text": "$.allMetaData.timestamp",
    "checkpoint": "$.allMetaData.checkpoint",
    "transaction_id": "$.allMetaData.transId",
    "unique_id": "$.allMetaData.uniqueId",
    "source_identity": "$.allMetaData.source_identity",
    "cluster_id": "$.allMetaData.clusterId",
}

_FLATTEN = """
copy (
    with opened as (
        select
            * exclude (value, key),
            value,
            try(json_extract_string(decode(value), [{paths}])) as members
        from read_parquet({files}, hive_partitioning = true)
    ),
    parsed as (
        select
            *,
            {members},
            case
                when operation in ('INSERT', 'UPDATE', 'DELETE') then lower(operation)
                when operation in ('ROW', 'REPLACE') then 'upsert'
                when operation = 'HEARTBEAT' then 'heartbeat'
            end as kind,
            coalesce(operation = 'ROW', false) as is_snapshot,
            try_cast(timestamp_text as bigint) as event_seconds,
            -- Nineteen digits hold every sequence of ten digits and up to five.
            try_cast(sequence_text as bigint) as sequence,
            length(sequence_text) between 11 and 15
                and abs(try_cast(left(sequence_text, 10) as bigint) - event_seconds) <= 86400 as starts_with_second,
            string_split(nullif(record_primary_key, ''), chr(1)) as key_names,
            case
                when members is null or kind is null then 'malformed'
                when kind = 'heartbeat' then null
                when table_name is null then 'malformed'
                when operation in ('UPDATE', 'DELETE') and before_image is null then 'missing_image'
                when operation <> 'DELETE' and after_image is null then 'missing_image'
                when len(string_split(record_primary_value, chr(1))) <> len(key_names) then 'key_mismatch'
            end as reason_code,
            case
                when reason_code is not null or kind = 'heartbeat' then [{{'side': null, 'row_image': null}}]
                when before_image is null then [{{'side': 'postimage', 'row_image': after_image}}]
                when after_image is null then [{{'side': 'preimage', 'row_image': before_image}}]
                else [
                    {{'side': 'preimage', 'row_image': before_image}},
                    {{'side': 'postimage', 'row_image': after_image}}
                ]
            end as images
        from opened
    ),
    exploded as (
        select
            * exclude (images),
            unnest(images).side as side,
            unnest(images).row_image as row_image,
            generate_subscripts(images, 1) - 1 as event_index
        from parsed
    ),
    renamed as (
        select
            sha256(concat_ws(
                '|', source_name, db, coalesce(table_name, '-'), kind, side, coalesce(timestamp_text, '-'),
                coalesce(sequence_text, transaction_id, '-'),
                case
                    when reason_code is not null or kind = 'heartbeat' then concat(topic, partition, '-', "offset")
                end,
                row_image
            )) as change_id,
            source_name,
            format,
            case
                when db_type like 'OB%' and contains(db, '.') then substr(db, instr(db, '.') + 1)
                else db
            end as database_name,
            cast(null as varchar) as schema_name,
            table_name,
            case when row_image is not null and key_names is not null then
                '{{' || list_aggregate(
                    list_transform(
                        list_sort(key_names),
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
            cast(sequence as decimal(38, 0)) as sequence_number,
            make_timestamp(event_seconds * 1000000) as event_at,
            transaction_id,
            {{
                'phase': case when is_snapshot then 0 else 1 end,
                'sequence': cast(case
                    when starts_with_second then cast(left(sequence_text, 10) as bigint) else event_seconds
                end * 1000 as decimal(38, 0)),
                'serial': cast(case
                    when starts_with_second then cast(substr(sequence_text, 11) as bigint) else sequence
                end as decimal(38, 0)),
                'image_rank': case when side = 'preimage' and sequence is not null then 0 else 1 end,
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
                [('db_type', db_type), ('tenant', db[:instr(db, '.') - 1]), ('unique_id', unique_id),
                 ('source_identity', source_identity), ('cluster_id', cluster_id), ('checkpoint', checkpoint),
                 ('record_primary_value', record_primary_value)],
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
        change_order.sequence as order_sequence,
        change_order.serial as order_serial,
        case
            when reason_code is not null then 'quarantined'
            when copy_number > 1 then 'duplicate'
            when change_type is not null then 'change'
            else 'control'
        end as outcome
    from numbered
) to {target} (format parquet, compression snappy)
"""


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
