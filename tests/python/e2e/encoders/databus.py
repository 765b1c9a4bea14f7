"""Histories as Databus events: streams in Base64, and JSON lines."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import fastavro
from databus_messages import END_OF_PERIOD, base64_text, json_event, write_event
from delivery import Log
from histories import Row, Step, key_of
from watershed_udfs.databus.avro_schemas import schema_ids
from watershed_udfs.databus.event import Event

from encoders.table import Table, event_millis

EventKey = int | bytes
COLUMNS = {"name": "string", "amount": "string", "total": "long", "note": "string", "version": "long"}
KEY_TYPES = {"number": {"id": "long"}, "text": {"id": "string"}, "pair": {"id": "long", "region": "string"}}
SCHEMAS: dict[str, dict[str, Any]] = {
    kind: {
        "type": "record",
        "name": f"Things_{kind}_V1",
        "meta": f"dbFieldName=things;pk={','.join(key)}",
        "fields": [{"name": name, "type": [avro, "null"]} for name, avro in (key | COLUMNS).items()],
    }
    for kind, key in KEY_TYPES.items()
}
SCHEMA_TEXTS = {kind: json.dumps(schema, indent=1) for kind, schema in SCHEMAS.items()}
_PARSED = {kind: fastavro.parse_schema(schema) for kind, schema in SCHEMAS.items()}


def write_schemas(folder: Path) -> list[Path]:
    """Write the schemas of all these values to files."""
    folder.mkdir(exist_ok=True)
    for kind, text in SCHEMA_TEXTS.items():
        (folder / f"{kind}.avsc").write_text(text)
    return sorted(folder.glob("*.avsc"))


def binary_log(table: Table) -> Log:
    """Streams: one window per second and partition, one to three windows in a message."""
    chance = table.chance("databus_binary")
    log = table.log("databus_binary", "window")
    unsent: dict[int, list[bytes]] = {}
    routes: dict[int, object] = {}
    for second, steps in groupby(table.steps, lambda step: step.second):
        windows: dict[int, list[tuple[Event, EventKey]]] = {}
        for step in steps:
            for route, key, event in _events(table, step, chance, may_lack_value=True):
                partition = log.partition_of(route)
                routes[partition] = route
                windows.setdefault(partition, []).append((event, key))
        for partition, events in windows.items():
            written = [write_event(event, key) for event, key in [*events, (_end(second, chance), 0)]]
            unsent.setdefault(partition, []).append(b"".join(written))
            if chance.random() < 0.5 or len(unsent[partition]) == 3:
                log.append(routes[partition], base64_text(b"".join(unsent.pop(partition))))
    for partition, chunks in unsent.items():
        log.append(routes[partition], base64_text(b"".join(chunks)))
    return log


def json_log(table: Table) -> Log:
    """JSON lines: the events of a window, followed by its end in their partitions.

    This form does not distinguish a second delete without a value from a copy of the first, so such deletes are single.
    """
    chance = table.chance("databus_json")
    log = table.log("databus_json", "window")
    for second, group in groupby(table.steps, lambda step: step.second):
        steps = list(group)
        ends = {}
        for step in steps:
            for route, key, event in _events(table, step, chance, may_lack_value=len(steps) == 1):
                log.append(route, json_event(event, key))
                ends[log.partition_of(route)] = route
        for route in ends.values():
            log.append(route, json_event(_end(second, chance), 0))
    return log


def _events(
    table: Table, step: Step, chance: random.Random, may_lack_value: bool
) -> Iterator[tuple[object, EventKey, Event]]:
    """The events of one step: inserts and updates are equal, and a primary-key update is a delete and an upsert."""
    before, after = step.before, step.after
    if before is not None and (after is None or step.moves):
        delete = _event(table, step, chance, "DELETE", before)
        if may_lack_value and chance.random() < 0.5:
            delete = delete._replace(value=b"" if delete.version == 0 else None)
        yield _route(table, step, before), *_keyed(table, before, delete)
    if after is not None:
        upsert = _event(table, step, chance, chance.choice(["UPSERT", "UPSERT", None]), after)
        yield _route(table, step, after), *_keyed(table, after, upsert)


def _route(table: Table, step: Step, row: Row) -> object:
    """Position orders the changes of a window, so those of a row go to one partition."""
    return f"window {step.second}" if table.profile.is_scattered else key_of(row)


def _keyed(table: Table, row: Row, event: Event) -> tuple[EventKey, Event]:
    if table.profile.key_kind == "number":
        return row["id"], event
    key_type: Any = "bytes" if event.version == 0 else "string"
    return "\t".join(key_of(row)).encode(), event._replace(key_type=key_type)


def _event(table: Table, step: Step, chance: random.Random, opcode: str | None, row: Row) -> Event:
    written = io.BytesIO()
    kind = table.profile.key_kind
    fastavro.schemaless_writer(written, _PARSED[kind], row | {"amount": str(row["amount"])})
    return Event(
        event_index=0,
        version=chance.choice([0, 2]),
        byte_order=chance.choice(["big", "little"]),
        opcode=opcode,  # type: ignore[arg-type]
        key_type="long",
        sequence=_window(step.second),
        physical_partition=1,
        logical_partition=1,
        timestamp_nanos=event_millis(step) * 10**6,
        source_id=table.number,
        schema_id=chance.choice(schema_ids(SCHEMA_TEXTS[kind].encode())),
        schema_version=1,
        value=written.getvalue(),
    )


def _end(second: int, chance: random.Random) -> Event:
    version = chance.choice([0, 2])
    return Event(
        event_index=0,
        version=version,
        byte_order=chance.choice(["big", "little"]),
        key_type="long",
        sequence=_window(second),
        physical_partition=1,
        logical_partition=1,
        timestamp_nanos=chance.randrange(2**62),
        source_id=END_OF_PERIOD,
        value=b"" if version == 0 else None,
    )


def window_of(_: Table, step: Step) -> int:
    """The window of a step."""
    return _window(step.second)


def _window(second: int) -> int:
    """Numbers that get longer on the way: as text they would turn."""
    return 10**10 - 10 + second
