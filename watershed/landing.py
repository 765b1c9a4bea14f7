"""The Delta tables of landing, written without a JVM: messages, the list of landed files, Avro schemas.

A batch is two commits in this order: its files, then its messages. A file counts as landed only if its batch is in
landing.messages, so a process that dies between the two leaves nothing that stops the file from landing again.
"""

from __future__ import annotations

import datetime as dt
import secrets
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from watershed.delta_files import OvertakenError, append, remove_unfinished, told_in_a_sentence
from watershed.envelope import Message
from watershed.home import Home
from watershed.lock import waiting_lock
from watershed.messages import InputFile, ScannedFile, read_messages
from watershed.store import readable

_Texts = Mapping[str, str | None] | None
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
# Statistics on keys and values would cost seconds and help no query.
MESSAGES_STATISTICS = ("source_name", "batch_id", "topic", "partition", "offset", "landed_at")
FILES_STATISTICS = ("file_sha256", "batch_id")
# A row group: Spark splits files between these only, and reads each as a whole.
ROWS_AT_ONCE = 16_384
BYTES_AT_ONCE = 16 * 1024 * 1024


@dataclass(frozen=True)
class Skipped:
    """A file that is not landed because its bytes are there already for this source."""

    input: InputFile
    size: int
    file_name: str
    batch_id: str | None  # None: another file of the same call has the same bytes


@dataclass(frozen=True)
class Batch:
    """What one call has landed; batch_id is None if there was nothing to land."""

    batch_id: str | None
    landed_at: dt.datetime | None
    landed: list[ScannedFile]
    skipped: list[Skipped]


def ensure_landing_tables(home: Home, on_wait: Callable[[str], None] = lambda _: None) -> None:
    """Create the tables of landing where they are absent."""
    if not _tables_exist(home):
        with told_in_a_sentence(home), waiting_lock(home.landing_lock, on_wait):
            _create_tables(home)


def land_files(
    home: Home,
    files: Collection[ScannedFile],
    advance: Callable[[int], None] = lambda _: None,
    on_wait: Callable[[str], None] = lambda _: None,
) -> Batch:
    """Land checked files as one batch, one Delta commit to landing.messages.

    Args:
        home: Where the tables are.
        files: What to land; files without messages are passed over.
        advance: Called with the number of bytes read since the last call.
        on_wait: Called with a sentence if another process holds the landing lock.

    Raises:
        WatershedError: a file changed since it was scanned, and nothing has landed; or a table cannot be written.
    """
    with told_in_a_sentence(home), waiting_lock(home.landing_lock, on_wait):
        _create_tables(home)
        remove_unfinished(home)
        while True:
            try:
                return _land(home, [file for file in files if file.message_count], advance)
            except OvertakenError:
                continue


def _land(home: Home, files: list[ScannedFile], advance: Callable[[int], None]) -> Batch:
    adds = add_actions(DeltaTable(home.messages))
    to_land, skipped = _split_landed(home, adds, files)
    if not to_land:
        return Batch(None, None, [], skipped)
    batch_id, landed_at = _next_batch(adds)

    def has_landed(messages: DeltaTable) -> bool:
        there = {skip.batch_id for skip in _split_landed(home, add_actions(messages), to_land)[1]}
        if there - {batch_id}:
            raise OvertakenError
        return batch_id in there

    _commit_files(home, to_land, batch_id, landed_at)
    # The landing lock is of one home; on a store other machines land too.
    _commit_messages(home, to_land, batch_id, landed_at, advance, has_landed if home.store else None)
    return Batch(batch_id, landed_at, to_land, skipped)


def batches_of(home: Home, files: Collection[ScannedFile]) -> set[str]:
    """Return the batches that the files have landed in; none if one of them has not landed."""
    if not _tables_exist(home):
        return set()
    filled = [file for file in files if file.message_count]
    to_land, skipped = _split_landed(home, add_actions(DeltaTable(home.messages)), filled)
    return set() if to_land else {skip.batch_id for skip in skipped if skip.batch_id}


def landed_files(home: Home) -> list[dict[str, Any]]:
    """Return source_name, message_count, batch_id and landed_at of each file that has landed."""
    if not _tables_exist(home):
        return []
    rows = read_rows(home.files, ["source_name", "message_count", "batch_id", "landed_at"])
    adds = add_actions(DeltaTable(home.messages))
    present = _present_batches(home.messages, adds, {row["batch_id"] for row in rows})
    return [row for row in rows if row["batch_id"] in present]


def streamed_messages(home: Home) -> list[dict[str, Any]]:
    """Return source_name, message_count and landed_at of what no file brought, a row for each data file of it."""
    if not _tables_exist(home):
        return []
    of_files = {row["batch_id"] for row in read_rows(home.files, ["batch_id"])}
    rows = []
    for add in add_actions(DeltaTable(home.messages)):
        batch, source = ({add.get(f"min.{name}"), add.get(f"max.{name}")} for name in ("batch_id", "source_name"))
        if len(batch) == len(source) == 1 and None not in batch | source:
            found = [{"batch_id": batch.pop(), "source_name": source.pop(), "landed_at": add["max.landed_at"]}]
            counts = [add["num_records"]]
        else:  # a file that was rewritten may hold several batches
            columns = ["batch_id", "source_name", "landed_at"]
            counted = _read_columns(home.messages, add, columns).group_by(columns).aggregate([([], "count_all")])
            found, counts = counted.select(columns).to_pylist(), counted["count_all"].to_pylist()
        rows += [
            {"source_name": row["source_name"], "message_count": count, "landed_at": row["landed_at"]}
            for row, count in zip(found, counts, strict=True)
            if row["batch_id"] not in of_files
        ]
    return rows


def _tables_exist(home: Home) -> bool:
    return all(DeltaTable.is_deltatable(str(path)) for path in (home.messages, home.files, home.avro_schemas))


def _create_tables(home: Home) -> None:
    configuration: dict[str, str | None] = {
        "delta.dataSkippingStatsColumns": ",".join(MESSAGES_STATISTICS),
        # A stream makes 17,280 commits a day, which whoever opens the table lists: as long as old files stay.
        "delta.logRetentionDuration": "interval 7 days",
    }
    _create_table(home.messages, MESSAGES_SCHEMA, ["format"], configuration)
    _create_table(home.files, FILES_SCHEMA)
    _create_table(home.avro_schemas, AVRO_SCHEMAS_SCHEMA)


def _create_table(
    path: Path,
    schema: pa.Schema,
    partition_by: list[str] | None = None,
    configuration: Mapping[str, str | None] | None = None,
) -> None:
    if DeltaTable.is_deltatable(str(path)):
        return
    try:
        DeltaTable.create(path, schema, mode="ignore", partition_by=partition_by, configuration=configuration)
    except DeltaError:
        if not DeltaTable.is_deltatable(str(path)):  # else another machine was first
            raise


def add_actions(table: DeltaTable) -> list[dict[str, Any]]:
    """Return the table's data files as rows: path, statistics (`min.<column>`, `max.<column>`)."""
    rows: list[dict[str, Any]] = pa.table(table.get_add_actions(flatten=True)).to_pylist()
    return rows


def next_batch(home: Home) -> tuple[str, dt.datetime]:
    """Return the id and the time of a batch that is to be landed now. The landing lock must be held."""
    return _next_batch(add_actions(DeltaTable(home.messages)))


def _next_batch(adds: list[dict[str, Any]]) -> tuple[str, dt.datetime]:
    """Return an id and now, or a time behind that of every batch that has landed.

    Whole milliseconds, because Delta keeps no finer statistics.
    """
    now = dt.datetime.now(dt.UTC)
    now = now.replace(microsecond=now.microsecond // 1000 * 1000)
    newest = max((add["max.landed_at"] for add in adds if add.get("max.landed_at")), default=None)
    landed_at = now if newest is None else max(now, newest + dt.timedelta(milliseconds=1))
    return f"{landed_at:%Y%m%dT%H%M%S.%f}Z-{secrets.token_hex(3)}", landed_at


def _split_landed(
    home: Home, adds: list[dict[str, Any]], files: list[ScannedFile]
) -> tuple[list[ScannedFile], list[Skipped]]:
    """Part the files into those to land and those whose bytes are there already."""
    recorded = _recorded_files(home, files)
    present = _present_batches(home.messages, adds, {row["batch_id"] for row in recorded})
    landed = {(row["source_name"], row["file_sha256"]): row for row in recorded if row["batch_id"] in present}
    to_land: dict[tuple[str, str], ScannedFile] = {}
    skipped = []
    for file in files:
        identity = (file.input.source_name, file.sha256)
        if identity in landed:
            row = landed[identity]
            skipped.append(Skipped(file.input, file.size, row["file_name"], row["batch_id"]))
        elif identity in to_land:
            skipped.append(Skipped(file.input, file.size, str(to_land[identity].input.path), None))
        else:
            to_land[identity] = file
    return list(to_land.values()), skipped


def _recorded_files(home: Home, files: list[ScannedFile]) -> list[dict[str, Any]]:
    """Return the records of files with one of these digests, whether their batch came to be or not."""
    digests = {file.sha256 for file in files}
    rows: list[dict[str, Any]] = []
    for add in add_actions(DeltaTable(home.files)):
        if _may_hold(add, "file_sha256", digests):
            columns = ["source_name", "file_sha256", "file_name", "batch_id"]
            rows += _read_columns(home.files, add, columns).to_pylist()
    return [row for row in rows if row["file_sha256"] in digests]


def _present_batches(messages: Path, adds: list[dict[str, Any]], batch_ids: set[str]) -> set[str]:
    """Return those of the batches that are in landing.messages, from statistics where they are enough.

    A file that Spark rewrote may hold several batches; only then its batch_id column is read.
    """
    present: set[str] = set()
    mixed = []
    for add in adds:
        low, high = add.get("min.batch_id"), add.get("max.batch_id")
        if low is not None and low == high:
            present.add(low)
        else:
            mixed.append(add)
    for add in mixed:
        if _may_hold(add, "batch_id", batch_ids - present):
            present.update(_read_columns(messages, add, ["batch_id"])["batch_id"].unique().to_pylist())
    return present & batch_ids


def _may_hold(add: dict[str, Any], column: str, wanted: Collection[str]) -> bool:
    """Tell from a data file's statistics whether one of the values can be in it; without statistics it can."""
    low, high = add.get(f"min.{column}"), add.get(f"max.{column}")
    return any(low is None or high is None or low <= value <= high for value in wanted)


def read_rows(table: Path, columns: list[str]) -> list[dict[str, Any]]:
    """Return some columns of a whole small Delta table as rows."""
    rows: list[dict[str, Any]] = []
    for add in add_actions(DeltaTable(table)):
        rows += _read_columns(table, add, columns).to_pylist()
    return rows


def _read_columns(table: Path, add: dict[str, Any], columns: list[str]) -> pa.Table:
    # Not as a pyarrow dataset: its threads sometimes abort the process at its end.
    return pq.ParquetFile(readable(table / unquote(add["path"]))).read(columns=columns, use_threads=False)


def _commit_files(home: Home, files: list[ScannedFile], batch_id: str, landed_at: dt.datetime) -> None:
    rows = [
        {
            "source_name": file.input.source_name,
            "file_sha256": file.sha256,
            "file_name": file.input.path.name,
            "message_count": file.message_count,
            "batch_id": batch_id,
            "landed_at": landed_at,
        }
        for file in files
    ]
    append(home, home.files, [pa.RecordBatch.from_pylist(rows, schema=FILES_SCHEMA)], FILES_STATISTICS)


def _commit_messages(
    home: Home,
    files: list[ScannedFile],
    batch_id: str,
    landed_at: dt.datetime,
    advance: Callable[[int], None],
    is_done: Callable[[DeltaTable], bool] | None,
) -> None:
    # In the order of the partitions, so that one file is written at a time.
    batches = (
        _record_batch(file.input, messages, batch_id, landed_at)
        for file in sorted(files, key=lambda file: file.input.format)
        for messages in _in_pieces(read_messages(file, advance))
    )
    append(home, home.messages, batches, MESSAGES_STATISTICS, "format", {"batch_id": batch_id}, is_done=is_done)


def _in_pieces(messages: Iterator[Message]) -> Iterator[list[Message]]:
    """Cut a stream of messages into lists of bounded length and size."""
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
        ],
        schema=MESSAGES_SCHEMA,
    )
