"""The Delta tables of landing, written without a JVM: messages, the list of landed files, Avro schemas.

A batch is two commits in this order: its files, then its messages. A file counts as landed only if its batch is in
landing.messages, so after a crash between the two the file can land again.
"""

from __future__ import annotations

import datetime as dt
import secrets
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, Schema
from deltalake.exceptions import DeltaError

from watershed.home import Home
from watershed.landing.delta_files import OvertakenError, append, as_watershed_error, remove_unfinished
from watershed.landing.delta_reads import add_actions, present_batches, read_columns, read_rows
from watershed.landing.envelope import Message
from watershed.landing.landed_files import Skipped, place_files, split_landed
from watershed.landing.messages import InputFile, Place, ScannedFile, read_messages
from watershed.lock import waiting_lock
from watershed.store import Location

_TIMESTAMP = pa.timestamp("us", tz="UTC")
MESSAGES_SCHEMA = pa.schema(
    [
        ("source_name", pa.string()),
        ("format", pa.string()),
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("offset", pa.int64()),
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("sent_at", _TIMESTAMP),
        ("landed_at", _TIMESTAMP),
        ("batch_id", pa.string()),
        ("file_name", pa.string()),
    ]
)
FILES_SCHEMA = pa.schema(
    [
        ("source_name", pa.string()),
        ("file_sha256", pa.string()),
        ("file_name", pa.string()),
        ("message_count", pa.int64()),
        ("batch_id", pa.string()),
        ("landed_at", _TIMESTAMP),
        ("mode", pa.string()),
        ("topic", pa.string()),
        ("partition", pa.int32()),
    ]
)
AVRO_SCHEMAS_SCHEMA = pa.schema(
    [
        ("source_name", pa.string()),
        ("schema_id", pa.string()),
        ("schema_text", pa.string()),
        ("record_name", pa.string()),
        ("key_columns", pa.list_(pa.string())),
        ("file_name", pa.string()),
        ("landed_at", _TIMESTAMP),
    ]
)
# Statistics on keys and values would cost seconds without helping any query.
MESSAGES_STATISTICS = ("source_name", "batch_id", "topic", "partition", "offset", "landed_at")
FILES_STATISTICS = ("file_sha256", "batch_id")
# A row group: Spark splits files only at row groups and reads each as a whole.
ROWS_AT_ONCE = 16_384
BYTES_AT_ONCE = 16 * 1024 * 1024


@dataclass(frozen=True)
class Batch:
    """The result of one call; batch_id is None if there was nothing to land."""

    batch_id: str | None
    landed_at: dt.datetime | None
    landed: list[ScannedFile]
    skipped: list[Skipped]


def ensure_landing_tables(home: Home, on_wait: Callable[[str], None] = lambda _: None) -> None:
    """Create missing tables of landing, and add the columns that tables of an older version lack."""
    with as_watershed_error(home):
        if _tables_exist(home) and not any(_missing(DeltaTable(str(path)), schema) for path, schema in _schemas(home)):
            return
        with waiting_lock(home.landing_lock, on_wait):
            _create_tables(home)
            for path, schema in _schemas(home):
                _with_columns(path, schema)


def land_files(
    home: Home,
    files: Collection[ScannedFile],
    advance: Callable[[int], None] = lambda _: None,
    on_wait: Callable[[str], None] = lambda _: None,
) -> Batch:
    """Land checked files as one batch, one Delta commit to landing.messages.

    Args:
        home: The home of the tables.
        files: The files to land; files without messages are skipped.
        advance: Called with the number of bytes read since the last call.
        on_wait: Called with a sentence if another process holds the landing lock.

    Raises:
        WatershedError: a file changed since it was scanned, and nothing has landed; or a table cannot be written.
    """
    with as_watershed_error(home), waiting_lock(home.landing_lock, on_wait):
        _create_tables(home)
        remove_unfinished(home)
        while True:
            try:
                return _land(home, [file for file in files if file.message_count], advance)
            except OvertakenError:
                continue


def _land(home: Home, files: list[ScannedFile], advance: Callable[[int], None]) -> Batch:
    adds = add_actions(_with_columns(home.messages, MESSAGES_SCHEMA))
    to_land, skipped = split_landed(home, adds, files)
    if not to_land:
        return Batch(None, None, [], skipped)
    batch_id, landed_at = _next_batch(adds)
    places = place_files(home.messages, adds, to_land)

    def has_landed(messages: DeltaTable) -> bool:
        newest = add_actions(messages)
        there = {skip.batch_id for skip in split_landed(home, newest, to_land)[1]}
        if batch_id in there:
            return True
        if there or place_files(home.messages, newest, to_land) != places:
            raise OvertakenError
        return False

    _with_columns(home.files, FILES_SCHEMA)
    _commit_files(home, to_land, places, batch_id, landed_at)
    # The landing lock belongs to one home; on a shared store other machines land too.
    placed = list(zip(to_land, places, strict=True))
    _commit_messages(home, placed, batch_id, landed_at, advance, has_landed if home.store else None)
    return Batch(batch_id, landed_at, to_land, skipped)


def batches_of(home: Home, files: Collection[ScannedFile]) -> set[str]:
    """Return the batches of the files; empty if one of them has not landed."""
    if not _tables_exist(home):
        return set()
    filled = [file for file in files if file.message_count]
    to_land, skipped = split_landed(home, add_actions(DeltaTable(str(home.messages))), filled)
    return set() if to_land else {skip.batch_id for skip in skipped if skip.batch_id}


def landed_files(home: Home) -> list[dict[str, Any]]:
    """Return source_name, message_count, batch_id and landed_at of each file that has landed."""
    if not _tables_exist(home):
        return []
    rows = read_rows(home.files, ["source_name", "message_count", "batch_id", "landed_at"])
    adds = add_actions(DeltaTable(str(home.messages)))
    present = present_batches(home.messages, adds, {row["batch_id"] for row in rows})
    return [row for row in rows if row["batch_id"] in present]


def streamed_messages(home: Home) -> list[dict[str, Any]]:
    """Return source_name, message_count and landed_at of messages that are not from files, a row for each data file."""
    if not _tables_exist(home):
        return []
    of_files = {row["batch_id"] for row in read_rows(home.files, ["batch_id"])}
    rows = []
    for add in add_actions(DeltaTable(str(home.messages))):
        batch, source = ({add.get(f"min.{name}"), add.get(f"max.{name}")} for name in ("batch_id", "source_name"))
        if len(batch) == len(source) == 1 and None not in batch | source:
            found = [{"batch_id": batch.pop(), "source_name": source.pop(), "landed_at": add["max.landed_at"]}]
            counts = [add["num_records"]]
        else:  # a rewritten file may contain several batches
            columns = ["batch_id", "source_name", "landed_at"]
            counted = read_columns(home.messages, add, columns).group_by(columns).aggregate([([], "count_all")])
            found, counts = counted.select(columns).to_pylist(), counted["count_all"].to_pylist()
        rows += [
            {"source_name": row["source_name"], "message_count": count, "landed_at": row["landed_at"]}
            for row, count in zip(found, counts, strict=True)
            if row["batch_id"] not in of_files
        ]
    return rows


def _schemas(home: Home) -> list[tuple[Location, pa.Schema]]:
    return [(home.messages, MESSAGES_SCHEMA), (home.files, FILES_SCHEMA), (home.avro_schemas, AVRO_SCHEMAS_SCHEMA)]


def _tables_exist(home: Home) -> bool:
    return all(DeltaTable.is_deltatable(str(path)) for path, _ in _schemas(home))


def _create_tables(home: Home) -> None:
    configuration: dict[str, str | None] = {
        "delta.dataSkippingStatsColumns": ",".join(MESSAGES_STATISTICS),
        # A stream makes 17,280 commits a day, and every reader lists them: the log is kept only as long as old files.
        "delta.logRetentionDuration": "interval 7 days",
    }
    _create_table(home.messages, MESSAGES_SCHEMA, ["format"], configuration)
    _create_table(home.files, FILES_SCHEMA)
    _create_table(home.avro_schemas, AVRO_SCHEMAS_SCHEMA)


def _create_table(
    path: Location,
    schema: pa.Schema,
    partition_by: list[str] | None = None,
    configuration: Mapping[str, str | None] | None = None,
) -> None:
    if DeltaTable.is_deltatable(str(path)):
        return
    try:
        DeltaTable.create(str(path), schema, mode="ignore", partition_by=partition_by, configuration=configuration)
    except DeltaError:
        if not DeltaTable.is_deltatable(str(path)):  # else another machine came first
            raise


def _missing(table: DeltaTable, schema: pa.Schema) -> pa.Schema:
    """Return the columns missing in a table of an older version."""
    there = {field.name for field in table.schema().fields}
    return pa.schema([field for field in schema if field.name not in there])


def _with_columns(path: Location, schema: pa.Schema) -> DeltaTable:
    """Return a table of landing, with the columns added that an older version lacks: null in its rows."""
    table = DeltaTable(str(path))
    if missing := _missing(table, schema):
        try:
            table.alter.add_columns(list(Schema.from_arrow(missing).fields))
        except DeltaError:
            if _missing(DeltaTable(str(path)), schema):  # else another machine was first
                raise
        table = DeltaTable(str(path))
    return table


def next_batch(home: Home) -> tuple[str, dt.datetime]:
    """Return the id and the time of a batch that is to be landed now. The landing lock must be held."""
    return _next_batch(add_actions(DeltaTable(str(home.messages))))


def _next_batch(adds: list[dict[str, Any]]) -> tuple[str, dt.datetime]:
    """Return an id and the current time, or a time after that of every landed batch.

    Whole milliseconds, because Delta keeps no finer statistics.
    """
    now = dt.datetime.now(dt.UTC)
    now = now.replace(microsecond=now.microsecond // 1000 * 1000)
    newest = max((add["max.landed_at"] for add in adds if add.get("max.landed_at")), default=None)
    landed_at = now if newest is None else max(now, newest + dt.timedelta(milliseconds=1))
    return f"{landed_at:%Y%m%dT%H%M%S.%f}Z-{secrets.token_hex(3)}", landed_at


def _commit_files(
    home: Home, files: list[ScannedFile], places: list[Place | None], batch_id: str, landed_at: dt.datetime
) -> None:
    rows = [
        {
            "source_name": file.input.source_name,
            "file_sha256": file.sha256,
            "file_name": file.input.path.name,
            "message_count": file.message_count,
            "batch_id": batch_id,
            "landed_at": landed_at,
            "mode": str(file.input.mode),
            "topic": place.topic if place else None,
            "partition": place.partition if place else None,
        }
        for file, place in zip(files, places, strict=True)
    ]
    append(home, home.files, [pa.RecordBatch.from_pylist(rows, schema=FILES_SCHEMA)], FILES_STATISTICS)


def _commit_messages(
    home: Home,
    files: list[tuple[ScannedFile, Place | None]],
    batch_id: str,
    landed_at: dt.datetime,
    advance: Callable[[int], None],
    is_done: Callable[[DeltaTable], bool] | None,
) -> None:
    # Ordered by partition, so that one file is written at a time.
    batches = (
        _record_batch(file.input, messages, batch_id, landed_at)
        for file, place in sorted(files, key=lambda one: one[0].input.format)
        for messages in _in_pieces(read_messages(file, place, advance))
    )
    append(home, home.messages, batches, MESSAGES_STATISTICS, "format", {"batch_id": batch_id}, is_done=is_done)


def _in_pieces(messages: Iterator[Message]) -> Iterator[list[Message]]:
    """Split a stream of messages into lists of bounded length and size."""
    piece: list[Message] = []
    size = 0
    for message in messages:
        piece.append(message)
        size += len(message.value or b"") + len(message.key or b"")
        if size > BYTES_AT_ONCE or len(piece) == ROWS_AT_ONCE:
            yield piece
            piece, size = [], 0
    if piece:
        yield piece


def _record_batch(file: InputFile, messages: list[Message], batch_id: str, landed_at: dt.datetime) -> pa.RecordBatch:
    topics, partitions, offsets, keys, values, sent = zip(*messages, strict=True)
    count = len(messages)
    return pa.record_batch(
        [
            pa.repeat(file.source_name, count),
            pa.repeat(file.format, count),
            pa.array(topics, pa.string()),
            pa.array(partitions, pa.int32()),
            pa.array(offsets, pa.int64()),
            pa.array(keys, pa.binary()),
            pa.array(values, pa.binary()),
            pa.array(sent, pa.timestamp("ms", tz="UTC")).cast(_TIMESTAMP),
            pa.repeat(pa.scalar(landed_at, _TIMESTAMP), count),
            pa.repeat(batch_id, count),
            pa.repeat(file.path.name, count),
        ],
        schema=MESSAGES_SCHEMA,
    )
