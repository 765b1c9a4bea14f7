"""Databus, JSON form of version 1: an Avro value in Base64, a long key or one of two texts."""

from __future__ import annotations

import base64
import io
import json
from functools import cache
from pathlib import Path
from typing import Any

import fastavro
from watershed_udfs.databus.avro_schemas import schema_ids

from benchmarks.change_log import Change, Object, Row
from benchmarks.families.common import Family, columns, key_names, key_number, key_texts

FIRST_SCN = 7 << 32
FIRST_SOURCE = 100
"""No source of samples/seeds/databus_sources.csv: the tables are called by their numbers."""

DETAILS_LENGTH = 110
_TYPES = {"order_id": "long", "line": "long", "customer_id": "long", "cents": "long"}


def schema_text(is_composite: bool) -> str:
    """Return the writer schema of the tables with keys of one or two columns."""
    line = ["line"] if is_composite else []
    names = ["order_id", *line, "customer_id", "cents", "placed_at", "note", "details"]
    schema = {
        "type": "record",
        "name": "Items_V1" if is_composite else "Orders_V1",
        "meta": f"dbFieldName=things;pk={','.join(['order_id', *line])}",
        "fields": [{"name": name, "type": [_TYPES.get(name, "string"), "null"]} for name in names],
    }
    return json.dumps(schema)


def write_schemas(folder: Path) -> list[Path]:
    """Write both schemas as files for `watershed schemas`."""
    files = {False: folder / "one_key.avsc", True: folder / "two_keys.avsc"}
    for is_composite, file in files.items():
        file.write_text(schema_text(is_composite), encoding="utf-8")
    return list(files.values())


@cache
def parsed_schema(is_composite: bool) -> Any:  # noqa: ANN401 - the type in fastavro
    """Return the schema as fastavro reads it."""
    return fastavro.parse_schema(json.loads(schema_text(is_composite)))


@cache
def schema_id(is_composite: bool) -> str:
    """Return the id of the schema in Base64."""
    return base64.b64encode(bytes.fromhex(schema_ids(schema_text(is_composite).encode())[0])).decode()


def image(row: Row, details_length: int = DETAILS_LENGTH) -> Object:
    """Return a row; money in cents, as Avro has no decimals of its own."""
    values = columns(row, details_length)
    return {name: value for name, value in values.items() if name != "amount"} | {"cents": row.values.cents}


def avro_value(change: Change) -> bytes:
    """Return the row after a change, or before a delete, as Avro."""
    written = io.BytesIO()
    fastavro.schemaless_writer(written, parsed_schema(change.row.table.is_composite), change.after or change.before)
    return written.getvalue()


def message(change: Change) -> Object:
    """Return a change as one line of the JSON form; a delete contains the previous row."""
    row = change.row
    key: Object = {"key": key_number(row)}
    if len(key_names(row)) > 1:
        key = {"keyBytes": base64.b64encode("\t".join(key_texts(row)).encode()).decode()}
    return {
        "opcode": "DELETE" if change.operation == "delete" else "UPSERT",
        **key,
        "sequence": FIRST_SCN + change.serial,
        "logicalPartitionId": row.partition,
        "physicalPartitionId": 1,
        "timestampInNanos": change.millis * 1_000_000,
        "srcId": FIRST_SOURCE + row.table.number,
        "schemaId": schema_id(row.table.is_composite),
        "valueEnc": "JSON",
        "isReplicated": False,
        "value": base64.b64encode(avro_value(change)).decode(),
    }


FAMILY = Family(image, message, None, b'"opcode":"UPSERT"')
