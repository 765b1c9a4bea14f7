"""One logical history as Databus events: streams in Base64, and JSON lines."""

from __future__ import annotations

import base64
import io
import json
import random
import sys
import zlib
from pathlib import Path

import fastavro
from histories import START_MILLIS, Log, Row, Step

# The writer of events stands beside the decoder's own tests.
sys.path.insert(0, str(Path(__file__).parents[1] / "udfs"))
from databus_events import write_v1, write_v2
from watershed_udfs.databus.avro_schemas import schema_ids
from watershed_udfs.databus.event import Event

SOURCE_ID, END_OF_PERIOD = 40, -2
SCHEMA = {
    "type": "record",
    "name": "Things_V1",
    "meta": "dbFieldName=things;pk=id",
    "fields": [
        {"name": "id", "type": ["long", "null"]},
        {"name": "name", "type": ["string", "null"]},
        {"name": "amount", "type": ["long", "null"]},
    ],
}
SCHEMA_TEXT = json.dumps(SCHEMA, indent=1)
_PARSED = fastavro.parse_schema(SCHEMA)
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


def write_schema(folder: Path) -> Path:
    """Write the schema of all these values to a file."""
    file = folder / "things.avsc"
    file.write_text(SCHEMA_TEXT)
    return file


def databus_binary_log(history: list[Step], table: str, seed: int) -> Log:
    """The history as streams: one window per step and partition, one to three windows in a message."""
    chance = random.Random(seed)
    log = Log("history_databus_binary")
    unsent: dict[int, list[bytes]] = {}
    keys: dict[int, int] = {}
    for step in history:
        windows: dict[int, list[Event]] = {}
        for key, event in _events(step, chance):
            partition = _partition(log, key)
            keys[partition] = key
            windows.setdefault(partition, []).append(event._replace(message_key=str(key)))
        for partition, events in windows.items():
            end = _end(step, chance)._replace(message_key="0")
            unsent.setdefault(partition, []).append(b"".join(map(_bytes, [*events, end])))
            if chance.random() < 0.5 or len(unsent[partition]) == 3:
                log.append(keys[partition], _base64(b"".join(unsent.pop(partition))))
    for partition, chunks in unsent.items():
        log.append(keys[partition], _base64(b"".join(chunks)))
    return log


def databus_json_log(history: list[Step], table: str, seed: int) -> Log:
    """The history as JSON lines: the events of a step, and behind them the end of its window in their partitions."""
    chance = random.Random(seed)
    log = Log("history_databus_json")
    for step in history:
        ends = {}
        for key, event in _events(step, chance):
            log.append(key, json_event(event, key))
            ends[_partition(log, key)] = key
        for key in ends.values():
            log.append(key, json_event(_end(step, chance), 0))
    return log


def _events(step: Step, chance: random.Random) -> list[tuple[int, Event]]:
    """The events of one step: nothing tells an insert from an update, and a change of key is a delete and an upsert."""
    before, after = step.before, step.after
    events = []
    if before is not None and (after is None or after["id"] != before["id"]):
        delete = _event(step, chance, "DELETE", before)
        if chance.random() < 0.5:
            delete = delete._replace(value=b"" if delete.version == 0 else None)
        events.append((before["id"], delete))
    if after is not None:
        events.append((after["id"], _event(step, chance, chance.choice(["UPSERT", "UPSERT", None]), after)))
    return events


def _event(step: Step, chance: random.Random, opcode: str | None, row: Row) -> Event:
    written = io.BytesIO()
    fastavro.schemaless_writer(written, _PARSED, row)
    return Event(
        event_index=0,
        version=chance.choice([0, 2]),
        byte_order=chance.choice(["big", "little"]),
        opcode=opcode,  # type: ignore[arg-type]
        key_type="long",
        sequence=_window(step),
        physical_partition=1,
        logical_partition=1,
        timestamp_nanos=(START_MILLIS + step.number * 1000) * 10**6,
        source_id=SOURCE_ID,
        schema_id=chance.choice(schema_ids(SCHEMA_TEXT.encode())),
        schema_version=1,
        value=written.getvalue(),
    )


def _end(step: Step, chance: random.Random) -> Event:
    version = chance.choice([0, 2])
    return Event(
        event_index=0,
        version=version,
        byte_order=chance.choice(["big", "little"]),
        key_type="long",
        sequence=_window(step),
        physical_partition=1,
        logical_partition=1,
        timestamp_nanos=chance.randrange(2**62),
        source_id=END_OF_PERIOD,
        value=b"" if version == 0 else None,
    )


def _window(step: Step) -> int:
    """Two steps share a window, so that position decides between their changes of one row."""
    return (7 << 32) + step.number // 2


def _bytes(event: Event) -> bytes:
    write = write_v1 if event.version == 0 else write_v2
    return write(event, int(event.message_key or 0))


def json_event(event: Event, key: int) -> str:
    """Return an event with a long key as a line of the JSON form."""
    value = None if event.value is None else _base64(event.value)
    schema_id = _base64(bytes.fromhex(event.schema_id or "00" * 16))
    shared = {
        "key": key,
        "sequence": event.sequence,
        "logicalPartitionId": event.logical_partition,
        "physicalPartitionId": event.physical_partition,
        "timestampInNanos": event.timestamp_nanos,
        "srcId": event.source_id,
        "valueEnc": "JSON",
        "isReplicated": False,
    }
    if event.version == 2:
        start = {"version": 2, "opcode": event.opcode, "keyType": "Number", "traceOn": False}
        payload = {"payloadSchemaId": schema_id, "payloadSchemaVersion": 1, "payloadValue": value}
        return json.dumps(start | shared | ({} if value is None else payload))
    opcode = {} if event.opcode is None else {"opcode": event.opcode}
    end = {"endOfPeriod": True} if event.source_id == END_OF_PERIOD else {}
    return json.dumps(opcode | shared | {"schemaId": schema_id} | end | {"value": value})


def _partition(log: Log, key: int) -> int:
    """Where `Log.append` puts a message of this key."""
    return zlib.crc32(str(key).encode()) % log.partitions


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
