"""Rows of one table for `benchmarks.latency`: the orders that a typed snapshot of the samples has, as Blob messages."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.change_log import START_MILLIS
from watershed.home import find_project_dir
from watershed.samples import SAMPLES

SOURCE, SNAPSHOT = "datahub_blob", "snapshot_datahub_blob__orders"


def write_orders(path: Path, count: int, version: int, apart: int) -> None:
    """Write `count` messages, of every `apart`-th order one: an insert in version 0, an update afterwards."""
    sample = find_project_dir() / SAMPLES / "messages" / SOURCE / "insert.jsonl"
    envelope = json.loads(sample.read_text("utf-8").splitlines()[0])
    message = json.loads(envelope["value"])
    payload, image = message["payload"], message["payload"]["after"]["dataColumn"]
    millis = START_MILLIS + version * 1_000
    payload["op"] = "UPDATE_AFTER" if version else "INSERT"
    payload["timestamp"] = {"eventTime": millis, "systemTime": millis + 120, "checkpointTime": millis}
    with path.open("w", encoding="utf-8") as lines:
        for number in range(count):
            image |= {"order_id": number * apart, "customer_id": number % 1_000, "status": f"state {version}"}
            image |= {"amount": f"{number % 10_000}.{version:02d}0000", "placed_at": millis, "note": "at the door"}
            payload["sequenceId"] = f"{millis}{number:07d}"
            # A partition per version: its offsets start at 0.
            envelope |= {"partition": version, "offset": number, "timestamp_ms": millis + 500}
            lines.write(json.dumps(envelope | {"value": json.dumps(message, separators=(",", ":"))}) + "\n")
