"""Databus events as bytes and as lines of the JSON forms."""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path

from histories import START_MILLIS

# The writer of events is next to the decoder's own tests.
sys.path.insert(0, str(Path(__file__).parents[1] / "udfs"))
from databus_events import write_v1, write_v2
from watershed_udfs.databus.event import Event

SOURCE_ID, END_OF_PERIOD = 40, -2
EVENT = Event(
    event_index=0,
    version=0,
    byte_order="big",
    opcode="UPSERT",
    key_type="long",
    message_key="1",
    sequence=10,
    physical_partition=1,
    logical_partition=1,
    timestamp_nanos=START_MILLIS * 10**6,
    source_id=SOURCE_ID,
    schema_id="22" * 16,
    value=b"value",
)


def write_event(event: Event, key: int | bytes) -> bytes:
    """Write an event in the form of its version."""
    return (write_v1 if event.version == 0 else write_v2)(event, key)


def base64_text(data: bytes) -> str:
    """Base64 without line breaks."""
    return base64.b64encode(data).decode()


def json_event(event: Event, key: int | bytes) -> str:
    """Return an event as a line of the JSON form of its version."""
    named = {"key": key} if isinstance(key, int) else {"keyBytes": base64_text(key)}
    value = None if event.value is None else base64_text(event.value)
    schema_id = base64_text(bytes.fromhex(event.schema_id or "00" * 16))
    shared = named | {
        "sequence": event.sequence,
        "logicalPartitionId": event.logical_partition,
        "physicalPartitionId": event.physical_partition,
        "timestampInNanos": event.timestamp_nanos,
        "srcId": event.source_id,
        "valueEnc": "JSON",
        "isReplicated": False,
    }
    if event.version == 2:
        start = {
            "version": 2,
            "opcode": event.opcode,
            "keyType": "Number" if isinstance(key, int) else "String",
            "traceOn": False,
        }
        payload = {"payloadSchemaId": schema_id, "payloadSchemaVersion": 1, "payloadValue": value}
        return json.dumps(start | shared | ({} if value is None else payload))
    opcode = {} if event.opcode is None else {"opcode": event.opcode}
    end = {"endOfPeriod": True} if event.source_id == END_OF_PERIOD else {}
    return json.dumps(opcode | shared | {"schemaId": schema_id} | end | {"value": value})
