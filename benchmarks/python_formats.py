"""The loop of `python_side.py` for the formats of `families`: a reader for each, the rest is shared.

The loops do not cover: strict JSON (duplicate members), numbers beyond a double or 64 bits, tenants, DDL, partial
images that need the previous row, configuration, and the payload in quarantine.
"""

from __future__ import annotations

import base64
import datetime as dt
import io
import json
import struct
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import fastavro
import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.families import databus_json
from benchmarks.families.databus_binary import checksum
from benchmarks.python_side import SCHEMA as BLOB_SCHEMA
from benchmarks.python_side import Events, Place

SCHEMA = pa.schema([*BLOB_SCHEMA, ("order_sequence", pa.string()), ("order_serial", pa.string())])
Object = dict[str, Any]
_FOLDED = [
    *("database_name", "schema_name", "table_name", "row_key"),
    *("change_type", "is_snapshot", "order_sequence", "order_serial", "partition", "offset", "event_index"),
    *("row_image", "sequence_number", "event_at", "outcome"),
]
"""What the fold reads: what names a row, what orders its changes, and what it keeps."""

_SORTED = orjson.OPT_SORT_KEYS
_NO_DELIVERY_TWICE = frozenset({"oms_canal"})
"""Formats without a sequence: a message that is sent again is a change of its own."""


class Found(NamedTuple):
    """The result of reading a message; `told_apart` distinguishes changes, in addition to table, kind and image."""

    kind: str
    identity: tuple[str | None, str | None, str]
    before: Object | None
    after: Object | None
    row_key: Callable[[Object], Object]
    event_micros: int | None
    sequence: int | None
    told_apart: object
    order_sequence: int | None
    order_serial: int | None = None
    is_snapshot: bool = False


def events_of(format_name: str) -> Events:
    """Return the function that produces the rows of a message of a format."""
    parse = _databus_event if format_name == "databus_binary" else orjson.loads
    return partial(_events, parse, _READERS[format_name], format_name in _NO_DELIVERY_TWICE)


def fold(changes: Path, target: Path) -> None:
    """Write the newest state of each row that is not deleted, from the changes that `flatten` has written."""
    newest: dict[tuple[Any, ...], tuple[tuple[Any, ...], tuple[Any, ...]]] = {}
    for batch in pq.ParquetFile(changes).iter_batches(columns=_FOLDED):
        for change in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            if change[-1] != "change":
                continue
            order, known = _order(*change[4:11]), newest.get(change[:4])
            if known is None or known[0] < order:
                newest[change[:4]] = (order, change)
    rows = [change for _, change in newest.values() if change[4] not in ("delete", "update_preimage")]
    columns = zip(*rows, strict=True) if rows else [[] for _ in _FOLDED]
    arrays = [pa.array(column, SCHEMA.field(name).type) for name, column in zip(_FOLDED, columns, strict=True)]
    names = ["last_change_type" if name == "change_type" else name for name in _FOLDED]
    pq.write_table(pa.table(arrays, names), target)


def _order(
    change_type: str, is_snapshot: bool, sequence: str | None, serial: str | None, *place: int
) -> tuple[int, ...]:
    """Return the sort key of the changes of a row: missing values sort first."""
    numbers = [-1 if text is None else int(text) for text in (sequence, serial)]
    has_rank = serial is not None and change_type == "update_preimage"
    return (not is_snapshot, *numbers, not has_rank, *place)


def _events(
    parse: Callable[[bytes], Object],
    read: Callable[[Object, bytes | None], Found | None],
    is_position_identity: bool,
    value: bytes,
    key: bytes | None,
    place: Place,
    seen: set[bytes],
) -> Iterator[tuple[Any, ...]]:
    try:
        found = read(parse(value), key)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, struct.error):
        yield (*[None] * 10, *place, 0, "quarantined", None, None)
        return
    if found is None:
        yield (*[None] * 10, *place, 0, "control", None, None)
        return
    if found.kind == "update":
        images = [("update_preimage", found.before), ("update_postimage", found.after)]
    else:
        images = [(found.kind, found.before if found.kind == "delete" else found.after)]
    for index, (change_type, image) in enumerate(images):
        if not image:
            raise ValueError(f"a message without its image at {place}")
        row_image = orjson.dumps(image, option=_SORTED)
        apart = (place, index) if is_position_identity else found.told_apart
        digest = sha256(orjson.dumps([*found.identity, change_type, apart]) + row_image).digest()
        outcome = "duplicate" if digest in seen else "change"
        seen.add(digest)
        yield (
            digest.hex(), *found.identity, orjson.dumps(found.row_key(image), option=_SORTED), change_type,
            found.is_snapshot, row_image, _text(found.sequence), found.event_micros, *place, index, outcome,
            _text(found.order_sequence), _text(found.order_serial),
        )  # fmt: skip


def _oms_default(message: Object, _: bytes | None) -> Found | None:
    kind = {"INSERT": "insert", "UPDATE": "update", "DELETE": "delete", "ROW": "upsert", "HEARTBEAT": ""}[
        message["recordType"]
    ]
    if not kind:
        return None
    meta = message["allMetaData"]
    seconds = None if meta["timestamp"] is None else int(meta["timestamp"])
    sequence = meta["storeDataSequence"]
    order_sequence, order_serial = _second_order(sequence, seconds)
    names = meta["record_primary_key"].split("\u0001")
    return Found(
        kind,
        (meta["db"].partition(".")[2], None, meta["table_name"]),
        message["prevStruct"],
        message["postStruct"],
        lambda image: {name: image[name] for name in names},
        None if seconds is None else seconds * 1_000_000,
        sequence,
        (sequence, seconds, meta["transId"] if sequence is None else None),
        order_sequence,
        order_serial,
        message["recordType"] == "ROW",
    )


def _oms_canal(message: Object, _: bytes | None) -> Found | None:
    kind = {"INSERT": "insert", "UPDATE": "update", "DELETE": "delete", "ROW": "upsert", "MHEARTBEAT": ""}[
        message["type"]
    ]
    if not kind:
        return None
    image = message["data"][0]
    names = message["pkNames"]
    return Found(
        kind,
        (message["database"], None, message["table"]),
        image | message["old"][0] if kind == "update" else image,
        image,
        lambda row: {name: row[name] for name in names},
        message["es"] * 1000,
        None,
        None,
        None,
        None,
        message["type"] == "ROW",
    )


def _oms_dataworks_v2(message: Object, _: bytes | None) -> Found | None:
    payload = message["payload"]
    kind = {"INSERT": "insert", "UPDATE": "update", "DELETE": "delete", "HEARTBEAT": ""}[payload["op"]]
    if not kind:
        return None
    schema = message["schema"]
    source, names, scn = schema["source"], schema["pk"], payload["scn"]
    before, after = payload["before"], payload["after"]
    millis = payload["timestamp"]["eventTime"]
    sequence = None if scn == "null" else int(scn)
    order_sequence, order_serial = _second_order(sequence, millis // 1000)
    return Found(
        kind,
        (source["dbName"].partition(".")[2], source["schema"], source["table"]),
        before and before["data"],
        after and after["data"],
        lambda image: {name: image[name] for name in names},
        millis * 1000,
        sequence,
        (sequence, None if sequence else (millis, before, after)),
        order_sequence,
        order_serial,
    )


def _oms_shareplex(message: Object, _: bytes | None) -> Found | None:
    meta, data = message["meta"], message["data"]
    kind = {"ins": "insert", "upd": "update", "del": "delete"}[meta["op"]]
    path, row_id = meta["table"], meta["rowid"]
    database, _dot, table = path.partition(".")
    seconds = _seconds(meta["time"])
    sequence = None if meta["scn"] == "null" else int(meta["scn"])
    order_sequence, order_serial = _second_order(sequence, seconds)
    identity = row_id[len(path) + 1 :] if row_id.startswith(path + "-") else row_id
    return Found(
        kind,
        (database, None, table),
        message["key"] if kind == "update" else data,
        message["key"] | data if kind == "update" else data,
        lambda _: {"rowid": identity},
        seconds * 1_000_000,
        sequence,
        (meta["time"], sequence, meta["seq"], meta["trans"], identity),
        order_sequence,
        order_serial,
    )


def _lindorm_sql(message: Object, key: bytes | None) -> Found | None:
    payload = message["payload"]
    kind = {"c": "insert", "u": "update", "d": "delete"}[payload["op"]]
    source, before, after = payload["source"], payload["before"], payload["after"]
    millis = source["ts_ms"]
    row_key = orjson.loads(key)  # type: ignore[arg-type]
    return Found(
        kind,
        (source["db"], source["namespace"], source["table"]),
        before,
        after,
        lambda _: row_key,
        millis * 1000,
        millis,
        (millis, before, after),
        millis,
        payload["ts_ms"],
    )


@lru_cache
def _schemas() -> dict[str, tuple[Any, list[str]]]:
    """Return the writer schemas by the Base64 text of their ids, with the names of their keys."""
    texts = {
        databus_json.schema_id(is_composite): databus_json.schema_text(is_composite) for is_composite in (False, True)
    }
    return {
        name: (fastavro.parse_schema(json.loads(text)), json.loads(text)["meta"].partition("pk=")[2].split(","))
        for name, text in texts.items()
    }


def _databus_json(message: Object, _: bytes | None) -> Found | None:
    kind = {"UPSERT": "upsert", "DELETE": "delete"}[message["opcode"]]
    schema, names = _schemas()[message["schemaId"]]
    image: Any = fastavro.schemaless_reader(io.BytesIO(_bytes(message["value"])), schema, None)
    if "key" in message:
        row_key = {names[0]: message["key"]}
    else:
        row_key = dict(zip(names, _bytes(message["keyBytes"]).decode().split("\t"), strict=True))
    sequence = message["sequence"]
    return Found(
        kind,
        (None, None, f"source_{message['srcId']}"),
        image,
        image,
        lambda _: row_key,
        message["timestampInNanos"] // 1000,
        sequence,
        (message["physicalPartitionId"], message["logicalPartitionId"], sequence, list(row_key.values())),
        sequence,
    )


def _databus_event(value: bytes) -> Object:
    """Read one big-endian event of version 1 in the shape of the JSON form, without Base64."""
    crc, length, attributes, sequence, physical, logical, nanos, source = struct.unpack_from(">IiHqhhqh", value, 1)
    (value_crc,) = struct.unpack_from(">I", value, 49)
    if attributes & 8:
        (size,) = struct.unpack_from(">i", value, 53)
        start, key = 57, {"keyBytes": value[57 : 57 + size]}
    else:
        size, start, key = 0, 61, {"key": struct.unpack_from(">q", value, 53)[0]}
    is_whole = value[0] == 0 and length == len(value)
    if not is_whole or checksum(value[5:start]) != crc or checksum(value[start:]) != value_crc:
        raise ValueError("damaged")
    return key | {
        "opcode": "UPSERT" if attributes & 1 else "DELETE",
        "sequence": sequence,
        "physicalPartitionId": physical,
        "logicalPartitionId": logical,
        "timestampInNanos": nanos,
        "srcId": source,
        "schemaId": base64.b64encode(value[33:49]).decode(),
        "value": value[start + size :],
    }


def _bytes(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else base64.b64decode(value)


_READERS: dict[str, Callable[[Object, bytes | None], Found | None]] = {
    "oms_default": _oms_default,
    "oms_canal": _oms_canal,
    "oms_dataworks_v2": _oms_dataworks_v2,
    "oms_shareplex": _oms_shareplex,
    "lindorm_sql": _lindorm_sql,
    "databus_json": _databus_json,
    "databus_binary": _databus_json,
}


def _second_order(sequence: int | None, seconds: int | None) -> tuple[int | None, int | None]:
    """Split a number that starts with its second; any other is the serial of its second."""
    text = "" if sequence is None else str(sequence)
    if seconds is not None and 11 <= len(text) <= 15 and abs(int(text[:10]) - seconds) <= 86_400:
        return int(text[:10]) * 1000, int(text[10:])
    return None if seconds is None else seconds * 1000, sequence


@lru_cache(4096)
def _seconds(text: str) -> int:
    """Read a time of the source in Asia/Shanghai, which has no summer time."""
    return int(dt.datetime.fromisoformat(text + "+08:00").timestamp())


def _text(number: int | None) -> str | None:
    return None if number is None else str(number)
