"""Makes DataHub Blob messages: the same ones for the same shape, whatever the machine."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import msgspec

PARTITIONS = 8
ACTIVE_KEYS = 2_000
"""Rows that live at the same time; the others have not been born yet or are touched by late updates only."""

RECENT_MESSAGES = 5_000
"""How far back a message may lie that is sent once more."""

START_MILLIS = 1_767_225_600_000  # 2026-01-01
FIRST_ID = 9_007_199_254_740_993  # no double holds it
SNAPSHOT_SHARE = 0.05
LATE_UPDATE_SHARE = 0.02
DUPLICATE_SHARE = 0.005
HEARTBEAT_SHARE = 0.001
BAD_SHARE = 0.0001
DELETE_SHARE = 0.2
"""Of the rows; most of the others stay."""

ONE_MESSAGE_SHARE = 0.3
"""Of the updates: both images in one message; the others come as two messages."""

NOTES = (
    "left at the door",
    'a "gift" for Łucja, ring twice',
    "c:\\invoices\\2026",
    "",
    "二号楼 ask for Mr. O'Neil",
    "fragile; call before delivery",
)


@dataclass(frozen=True)
class Shape:
    """What is made.

    Args:
        messages: How many messages, duplicates, heartbeats and bad ones included.
        keys: How many rows have a life; about a quarter of the messages.
        tables: In how many tables they lie.
        seed: Another seed gives other messages.
    """

    messages: int
    keys: int
    tables: int = 20
    seed: int = 1


class Table(NamedTuple):
    """A source table: its name, its key and the text of the envelope's `schema`."""

    name: str
    is_composite: bool
    schema: str


@dataclass
class Row:
    """A row of a source table as it is now; `steps` is what is still to happen to it."""

    table: Table
    number: int
    partition: int
    steps: list[str]
    is_snapshot: bool
    values: list[object] = field(default_factory=list)
    image: str = ""


def make_files(shape: Shape, folder: Path) -> list[Path]:
    """Write the messages as envelope lines, one file per partition, and return the files.

    Files that a complete earlier call has left are taken as they are.
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
            yield _bad_message(log, chance, count)
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
    """The change log of all tables: rows are born, change and go."""

    def __init__(self, shape: Shape, chance: random.Random) -> None:
        self.millis = START_MILLIS
        self._shape = shape
        self._chance = chance
        self._tables = [_table(number) for number in range(shape.tables)]
        self._serial = 0
        self._born = 0
        self._active: list[Row] = []
        self._settled: list[Row] = []
        self._waiting: list[tuple[int, int, str]] = []

    def next_message(self) -> tuple[int, int, str]:
        """Give the next message: the second half of a pair, a late update, or the next step of some row."""
        if self._waiting:
            return self._waiting.pop()
        self.millis += self._chance.choice((0, 0, 1, 3))
        self._serial += 1
        if self._settled and (self._chance.random() < LATE_UPDATE_SHARE or self._is_over()):
            return self._update(self._chance.choice(self._settled))
        while len(self._active) < ACTIVE_KEYS and self._born < self._shape.keys:
            self._active.append(self._new_row())
        place = self._chance.randrange(len(self._active))
        row = self._active[place]
        message = self._step(row, row.steps.pop(0))
        if not row.steps:
            self._active[place] = self._active[-1]
            self._active.pop()
            if row.image:
                self._settled.append(row)
        return message

    def _is_over(self) -> bool:
        return not self._active and self._born >= self._shape.keys

    def _new_row(self) -> Row:
        number = self._born
        self._born += 1
        is_snapshot = number < self._shape.keys * SNAPSHOT_SHARE
        steps = ["insert", *["update"] * self._chance.choice((1, 1, 2, 2, 3))]
        if self._chance.random() < DELETE_SHARE:
            steps.append("delete")
        return Row(self._chance.choice(self._tables), number, number % PARTITIONS, steps, is_snapshot)

    def _step(self, row: Row, step: str) -> tuple[int, int, str]:
        if step == "insert":
            row.values = self._first_values()
            row.image = _image(row)
            return self._message(row, "INSERT", "", row.image, row.is_snapshot)
        if step == "update":
            return self._update(row)
        image, row.image = row.image, ""
        return self._message(row, "DELETE", image, "")

    def _update(self, row: Row) -> tuple[int, int, str]:
        before = row.image
        row.values[0] = self._chance.randrange(10_000_000)
        row.image = _image(row)
        if self._chance.random() < ONE_MESSAGE_SHARE:
            return self._message(row, "UPDATE_AFTER", before, row.image)
        self._waiting.append(self._message(row, "UPDATE_AFTER", "", row.image))
        return self._message(row, "UPDATE_BEFOR", before, "")

    def _first_values(self) -> list[object]:
        pick = self._chance.randrange
        return [pick(10_000_000), FIRST_ID + pick(10**15), self.millis // 1000 * 1000, self._chance.choice(NOTES)]

    def _message(
        self, row: Row, operation: str, before: str, after: str, is_snapshot: bool = False
    ) -> tuple[int, int, str]:
        millis = self.millis
        sequence = "-1" if is_snapshot else f"{millis}{self._serial % 1_000_000:06d}"
        event = -1 if is_snapshot else millis
        value = (
            f'{{"schema":{row.table.schema},"payload":{{"op":"{operation}","sequenceId":"{sequence}",'
            f'"before":{_side(before)},"after":{_side(after)},"ddl":null,"timestamp":{{"eventTime":{event},'
            f'"systemTime":{millis + 120},"checkpointTime":{event}}}}},"version":"0.0.1"}}'
        )
        return row.partition, millis + 500, value


def _table(number: int) -> Table:
    is_composite = number % 10 == 9
    name = f"{'items' if is_composite else 'orders'}_{number:02d}"
    columns = [("order_id", "LONG"), *([("line", "LONG")] if is_composite else []), ("customer_id", "LONG")]
    columns += [("amount", "DOUBLE"), ("placed_at", "DATE"), ("note", "STRING")]
    listed = ",".join(f'{{"name":"{column}","type":"{kind}"}}' for column, kind in columns)
    key = '"order_id","line"' if is_composite else '"order_id"'
    source = f'{{"dbType":"MySQL","dbName":"shop","tableName":"{name}"}}'
    return Table(name, is_composite, f'{{"dataColumn":[{listed}],"primaryKey":[{key}],"source":{source}}}')


def _image(row: Row) -> str:
    cents, customer, placed, note = row.values
    assert isinstance(cents, int)
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


def _bad_message(log: _Log, chance: random.Random, count: int) -> tuple[int, int, str | bytes]:
    """Damage a message that stands for nothing else; the log itself stays whole."""
    row = Row(_table(count % 10), count, count % PARTITIONS, [], False, [1, 1, log.millis, "bad"])
    operation = chance.choice(("INSERT", "EXPLODE", "DELETE"))
    partition, millis, value = log._message(row, operation, "", _image(row))
    if operation != "INSERT":  # an unknown operation, or a delete without its image
        return partition, millis, value
    damage = chance.randrange(3)
    if damage == 0:
        return partition, millis, value[: len(value) // 2]
    if damage == 1:
        return partition, millis, value.replace('"note":"bad"', '"note":"\xff"').encode("latin-1")
    return partition, millis, ""


def describe(shape: Shape) -> str:
    """Say in one line what is made."""
    made = dt.datetime.fromtimestamp(START_MILLIS / 1000, dt.UTC)
    return (
        f"{shape.messages:,} Blob messages, {shape.keys:,} keys in {shape.tables} tables, "
        f"seed {shape.seed}, from {made:%Y-%m-%d}"
    )
