"""A Databus table whose schema changes: a field is renamed, one widens, some are added, one goes."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import Any

import fastavro
from databus_messages import write_v1
from watershed_udfs.databus.avro_schemas import schema_ids
from watershed_udfs.databus.event import Event

LEVEL = {"type": "enum", "name": "Level", "symbols": ["LOW", "HIGH"]}
OLDER = {
    "type": "record",
    "name": "Orders_V1",
    "meta": "pk=id",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "state", "type": ["string", "null"]},
        {"name": "amount", "type": "int"},
        {"name": "gone", "type": "string"},
        {"name": "receipt", "type": ["null", "bytes"]},
    ],
}
NEWER = {
    "type": "record",
    "name": "Orders_V2",
    "meta": "pk=id",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "status", "type": ["string", "null"], "aliases": ["state"], "default": "none"},
        {"name": "amount", "type": "double"},
        {"name": "level", "type": LEVEL, "default": "LOW"},
        {"name": "it's {{ odd }}", "type": ["null", "string"], "default": "it's \\ {{ odd }}"},
        {"name": "note", "type": ["null", "string"], "default": None},
        {"name": "late", "type": ["null", "long"]},
        {"name": "receipt", "type": ["null", "bytes"]},
        {"name": "seal", "type": "bytes", "default": "\u00ff"},
    ],
}
ODD = "it's {{ odd }}"
BYTES = {"receipt": b"B", "seal": b"C"}
ROWS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (OLDER, {"id": 1, "state": "open", "amount": 7, "gone": "x", "receipt": b"\x00A"}),
    (OLDER, {"id": 2, "state": None, "amount": 2**31 - 1, "gone": "y", "receipt": None}),
    (OLDER, {"id": 3, "state": "open", "amount": 1, "gone": "z", "receipt": b""}),
    (NEWER, {"id": 3, "status": "paid", "amount": 0.5, "level": "HIGH", ODD: None, "note": "n", "late": 5, **BYTES}),
    (NEWER, {"id": 4, "status": None, "amount": 4.0, "level": "LOW", ODD: "o", "note": None, "late": None, **BYTES}),
]


def write_schemas(folder: Path) -> list[Path]:
    """Write both schemas to files, the newer one first: when a schema is stored must not count."""
    files = [folder / "newer.avsc", folder / "older.avsc"]
    for file, schema in zip(files, (NEWER, OLDER), strict=True):
        file.write_text(json.dumps(schema))
    return files


def write_messages(folder: Path) -> Path:
    """Write the rows as messages of one event, the last change first: when a message lands must not count either."""
    lines = []
    for sequence, (schema, row) in reversed(list(enumerate(ROWS))):
        value = base64.b64encode(_event(schema, row, sequence)).decode()
        lines.append(json.dumps({"topic": "orders", "partition": 0, "offset": len(lines), "value": value}))
    file = folder / "evolution.jsonl"
    file.write_text("\n".join(lines) + "\n")
    return file


def _event(schema: dict[str, Any], row: dict[str, Any], sequence: int) -> bytes:
    written = io.BytesIO()
    fastavro.schemaless_writer(written, fastavro.parse_schema(schema), row)
    event = Event(
        event_index=0,
        opcode="UPSERT",
        sequence=sequence,
        physical_partition=1,
        logical_partition=1,
        timestamp_nanos=1_767_225_600 * 10**9,
        source_id=40,
        schema_id=schema_ids(json.dumps(schema).encode())[0],
        value=written.getvalue(),
    )
    return write_v1(event, row["id"])
