"""Rows of one table for `benchmarks.latency`: the orders that a typed snapshot of the samples has, as Blob messages."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.change_log import START_MILLIS

SOURCE, SNAPSHOT = "datahub_blob", "snapshot_datahub_blob__orders"
_COLUMNS = {"order_id": "LONG", "customer_id": "LONG", "status": "STRING", "amount": "DOUBLE"}
_COLUMNS |= {"placed_at": "DATE", "note": "STRING", "receipt": "BYTES"}
_SCHEMA = {
    "dataColumn": [{"name": name, "type": kind} for name, kind in _COLUMNS.items()],
    "primaryKey": ["order_id"],
    "source": {"dbType": "MySQL", "dbName": "shop", "tableName": "orders"},
}


def write_orders(path: Path, count: int, version: int, apart: int = 1) -> Path:
    """Write `count` messages, of every `apart`-th order one: an insert in version 0, an update behind it."""
    # A partition per version: its offsets start at 0.
    operation, millis = "UPDATE_AFTER" if version else "INSERT", START_MILLIS + version * 1_000
    with path.open("w", encoding="utf-8") as lines:
        for number in range(count):
            image = {"order_id": number * apart, "customer_id": number % 1_000, "status": f"state {version}"}
            image |= {"amount": f"{number % 10_000}.{version:02d}0000", "placed_at": millis, "note": "at the door"}
            payload = {
                "op": operation,
                "sequenceId": f"{millis}{number:07d}",
                "before": None,
                "after": {"dataColumn": image | {"receipt": None}},
                "ddl": None,
                "timestamp": {"eventTime": millis, "systemTime": millis + 120, "checkpointTime": millis},
            }
            value = json.dumps({"schema": _SCHEMA, "payload": payload, "version": "0.0.1"}, separators=(",", ":"))
            place = {"topic": "shop", "partition": version, "offset": number, "timestamp_ms": millis + 500}
            lines.write(json.dumps(place | {"value": value}) + "\n")
    return path
