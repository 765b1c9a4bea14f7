"""Generates DataHub Blob messages: the same ones for the same shape on every machine."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterator
from pathlib import Path

import msgspec

from benchmarks.change_log import (
    BAD_SHARE,
    DUPLICATE_SHARE,
    FIRST_ID,
    HEARTBEAT_SHARE,
    PARTITIONS,
    RECENT_MESSAGES,
    START_MILLIS,
    Change,
    ChangeLog,
    Row,
    Shape,
    Table,
)

ONE_MESSAGE_SHARE = 0.3
"""Of the updates: both images in one message; the others come as two messages."""


def make_files(shape: Shape, folder: Path) -> list[Path]:
    """Write the messages as envelope lines, one file per partition, and return the files.

    Complete files of an earlier call are reused.
    """
    paths = [folder / f"blob-{partition}.jsonl" for partition in range(PARTITIONS)]
    done = folder / "complete.json"
    description = msgspec.json.encode(shape)
    if done.exists() and done.read_bytes() == description:
        return paths
    folder.mkdir(parents=True, exist_ok=True)
    done.unlink(missing_ok=True)
    streams = [path.open("wb") for path in paths]
    encoder = msgspec.json.Encoder()
    offsets = [0] * PARTITIONS
    for partition, millis, value in messages(shape):
        envelope: dict[str, object] = {
            "topic": "shop",
            "partition": partition,
            "offset": offsets[partition],
            "timestamp_ms": millis,
        }
        envelope["value" if isinstance(value, str) else "value_base64"] = value  # bytes are encoded as Base64
        streams[partition].write(encoder.encode(envelope) + b"\n")
        offsets[partition] += 1
    for stream in streams:
        stream.close()
    done.write_bytes(description)
    return paths


def messages(shape: Shape) -> Iterator[tuple[int, int, str | bytes]]:
    """Yield (partition, time in ms, value) of each message."""
    chance = random.Random(shape.seed)
    log = _Log(shape, chance)
    recent: list[tuple[int, int, str]] = []
    for count in range(shape.messages):
        draw = chance.random()
        if draw < BAD_SHARE:
            yield log.bad_message(count)
        elif draw < BAD_SHARE + HEARTBEAT_SHARE:
            yield count % PARTITIONS, log.millis, _heartbeat(log.millis)
        elif draw < BAD_SHARE + HEARTBEAT_SHARE + DUPLICATE_SHARE and recent:
            yield chance.choice(recent)
        else:
            message = log.next_message()
            if len(recent) < RECENT_MESSAGES:
                recent.append(message)
            else:
                recent[count % RECENT_MESSAGES] = message
            yield message


class _Log:
    """The messages of a change log: some updates are two of them."""

    def __init__(self, shape: Shape, chance: random.Random) -> None:
        self._schemas = [_schema(table) for table in shape.all_tables()]
        self._chance = chance
        self._changes = ChangeLog(shape, chance, _image)
        self._waiting: list[tuple[int, int, str]] = []

    @property
    def millis(self) -> int:
        """The time of the last change."""
        return self._changes.millis

    def next_message(self) -> tuple[int, int, str]:
        """Return the next message: the second half of a pair, or that of the next change."""
        if self._waiting:
            return self._waiting.pop()
        change = self._changes.next_change()
        if change.operation != "update":
            return self._message(change, change.operation.upper(), change.before or "", change.after or "")
        if self._chance.random() < ONE_MESSAGE_SHARE:
            return self._message(change, "UPDATE_AFTER", change.before or "", change.after or "")
        self._waiting.append(self._message(change, "UPDATE_AFTER", "", change.after or ""))
        return self._message(change, "UPDATE_BEFOR", change.before or "", "")

    def bad_message(self, count: int) -> tuple[int, int, str | bytes]:
        """Damage an extra message; the log itself stays complete."""
        change = self._changes.stray(count)
        operation = self._chance.choice(("INSERT", "EXPLODE", "DELETE"))
        partition, millis, value = self._message(change, operation, "", change.after or "")
        if operation != "INSERT":  # an unknown operation, or a delete without its image
            return partition, millis, value
        damage = self._chance.randrange(3)
        if damage == 0:
            return partition, millis, value[: len(value) // 2]
        if damage == 1:
            return partition, millis, value.replace('"note":"bad"', '"note":"\xff"').encode("latin-1")
        return partition, millis, ""

    def _message(self, change: Change[str], operation: str, before: str, after: str) -> tuple[int, int, str]:
        row, millis = change.row, change.millis
        is_snapshot = change.is_snapshot
        sequence = "-1" if is_snapshot else f"{millis}{change.serial % 1_000_000:06d}"
        event = -1 if is_snapshot else millis
        value = (
            f'{{"schema":{self._schemas[row.table.number]},"payload":{{"op":"{operation}","sequenceId":"{sequence}",'
            f'"before":{_side(before)},"after":{_side(after)},"ddl":null,"timestamp":{{"eventTime":{event},'
            f'"systemTime":{millis + 120},"checkpointTime":{event}}}}},"version":"0.0.1"}}'
        )
        return row.partition, millis + 500, value


def _schema(table: Table) -> str:
    columns = [("order_id", "LONG"), *([("line", "LONG")] if table.is_composite else []), ("customer_id", "LONG")]
    columns += [("amount", "DOUBLE"), ("placed_at", "DATE"), ("note", "STRING")]
    listed = ",".join(f'{{"name":"{column}","type":"{kind}"}}' for column, kind in columns)
    key = '"order_id","line"' if table.is_composite else '"order_id"'
    source = f'{{"dbType":"MySQL","dbName":"shop","tableName":"{table.name}"}}'
    return f'{{"dataColumn":[{listed}],"primaryKey":[{key}],"source":{source}}}'


def _image(row: Row[str]) -> str:
    cents, customer, placed, note = row.values
    line = f'"line":{row.number % 7},' if row.table.is_composite else ""
    return (
        f'{{"order_id":{FIRST_ID + row.number * 1_000_003},{line}"customer_id":{customer},'
        f'"amount":"{cents // 100}.{cents % 100:02d}0000","placed_at":{placed},'
        f'"note":{msgspec.json.encode(note).decode()}}}'
    )


def _side(image: str) -> str:
    return f'{{"dataColumn":{image}}}' if image else "null"


def _heartbeat(millis: int) -> str:
    return (
        f'{{"schema":{{}},"payload":{{"op":"MHEARTBEAT","timestamp":{{"eventTime":{millis},"systemTime":{millis + 5},'
        f'"checkpointTime":{millis}}}}},"version":"0.0.1"}}'
    )


def describe(shape: Shape) -> str:
    """Describe the generated messages in one line."""
    made = dt.datetime.fromtimestamp(START_MILLIS / 1000, dt.UTC)
    return (
        f"{shape.messages:,} Blob messages, {shape.keys:,} keys in {shape.tables} tables, "
        f"seed {shape.seed}, from {made:%Y-%m-%d}"
    )
