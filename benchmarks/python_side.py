"""The same work as a single-process script: a loop with orjson, as a user without Spark would write it.

It produces the changes in the columns that `comparison.py` compares, and their identity. It lacks the same features as
`duckdb_side.py`, and quarantine keeps no bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

KINDS = {"INSERT": "insert", "DELETE": "delete", "TRUNCATE": "truncate", "ERASE": "truncate"}
UPDATES = frozenset(("UPDATE", "UPDATE_BEFOR", "UPDATE_BEFORE", "UPDATE_AFTER"))
NEED_BEFORE = frozenset(("UPDATE", "UPDATE_BEFOR", "UPDATE_BEFORE", "DELETE"))
NEED_AFTER = frozenset(("INSERT", "UPDATE", "UPDATE_AFTER"))
ROWS_AT_ONCE = 50_000

SCHEMA = pa.schema(
    [
        ("change_id", pa.string()),
        ("database_name", pa.string()),
        ("schema_name", pa.string()),
        ("table_name", pa.string()),
        ("row_key", pa.string()),
        ("change_type", pa.string()),
        ("is_snapshot", pa.bool_()),
        ("row_image", pa.string()),
        ("sequence_number", pa.string()),
        ("event_at", pa.timestamp("us")),
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("offset", pa.int64()),
        ("event_index", pa.int32()),
        ("outcome", pa.string()),
    ]
)


Place = tuple[str, int, int]
Events = Callable[[bytes, bytes | None, Place, set[bytes]], Iterator[tuple[Any, ...]]]


def flatten(files: Sequence[str], target: Path, events: Events | None = None, schema: pa.Schema = SCHEMA) -> None:
    """Write one row per event of the messages in the Parquet files of landing.messages.

    Args:
        files: The Parquet files.
        target: The file to write.
        events: Produces rows from a value, record key, position and the known changes; default: Blob's.
        schema: The columns of these rows.
    """
    make_events = events or _events
    seen: set[bytes] = set()
    with pq.ParquetWriter(target, schema) as writer:
        rows: list[tuple[Any, ...]] = []
        for topic, partition, offset, key, value in _messages(files):
            rows += make_events(value, key, (topic, partition, offset), seen)
            if len(rows) >= ROWS_AT_ONCE:
                writer.write_batch(_batch(rows, schema))
                rows = []
        writer.write_batch(_batch(rows, schema))


def _messages(files: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    for file in files:
        for batch in pq.ParquetFile(file).iter_batches(columns=["topic", "partition", "offset", "key", "value"]):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _events(value: bytes, _: bytes | None, place: Place, seen: set[bytes]) -> Iterator[tuple[Any, ...]]:
    try:
        message = orjson.loads(value)
        payload, schema = message["payload"], message.get("schema") or {}
        operation = payload["op"]
        kind = "update" if operation in UPDATES else KINDS.get(operation)
        if kind is None:
            yield _no_change(place, "control" if "HEARTBEAT" in operation else "quarantined")
            return
        times, source = payload["timestamp"], schema["source"]
        sequence, table = str(payload["sequenceId"]), source["tableName"]
        before = (payload.get("before") or {}).get("dataColumn")
        after = (payload.get("after") or {}).get("dataColumn")
    except (ValueError, KeyError, TypeError, AttributeError):
        yield _no_change(place, "quarantined")
        return
    if (operation in NEED_BEFORE and not before) or (operation in NEED_AFTER and not after):
        yield _no_change(place, "quarantined")
        return
    is_snapshot = sequence == "-1"
    names = sorted(schema.get("primaryKey") or ())
    identity = (source.get("dbName"), source.get("schemaName"), table)
    millis = int(times["eventTime"])
    event_at = millis * 1000 if millis >= 0 else None
    images = [(side, image) for side, image in (("preimage", before), ("postimage", after)) if image]
    for index, (side, image) in enumerate(images):
        row_image = orjson.dumps(image, option=orjson.OPT_SORT_KEYS)
        when = times["systemTime"] if is_snapshot else None
        natural_key = orjson.dumps([*identity, sequence, kind, side, when]) + row_image
        digest = hashlib.sha256(natural_key).digest()
        outcome = "duplicate" if digest in seen else "change"
        seen.add(digest)
        row_key = orjson.dumps({name: image[name] for name in names}) if names else None
        change_type = f"update_{side}" if kind == "update" else kind
        yield (
            digest.hex(), *identity, row_key, change_type, is_snapshot, row_image,
            None if is_snapshot else sequence, event_at, *place, index, outcome,
        )  # fmt: skip


def _no_change(place: tuple[Any, ...], outcome: str) -> tuple[Any, ...]:
    return (*[None] * 10, *place, 0, outcome)


def _batch(rows: list[tuple[Any, ...]], schema: pa.Schema) -> pa.RecordBatch:
    columns = zip(*rows, strict=True) if rows else [[] for _ in schema]
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
