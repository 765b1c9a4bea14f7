"""Generates the changes for the messages of every format: the same ones for the same shape on every machine."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

PARTITIONS = 8
ACTIVE_KEYS = 2_000
"""Rows that live at the same time; the others have not been born yet or are touched by late updates only."""

RECENT_MESSAGES = 5_000
"""How far back a message may lie that is sent once more."""

START_MILLIS = 1_767_225_600_000  # 2026-01-01
FIRST_ID = 9_007_199_254_740_993  # not representable as a double
SNAPSHOT_SHARE = 0.05
LATE_UPDATE_SHARE = 0.02
DUPLICATE_SHARE = 0.005
HEARTBEAT_SHARE = 0.001
BAD_SHARE = 0.0001
DELETE_SHARE = 0.2
"""Of the rows; most of the others stay."""

NOTES = (
    "left at the door",
    'a "gift" for Łucja, ring twice',
    "c:\\invoices\\2026",
    "",
    "二号楼 ask for Mr. O'Neil",
    "fragile; call before delivery",
)

Object = dict[str, Any]
Operation = Literal["insert", "update", "delete"]


class Table(NamedTuple):
    """A source table: its number, its name, and whether its key has two columns."""

    number: int
    name: str
    is_composite: bool


class Values(NamedTuple):
    """The columns of a row in addition to its key."""

    cents: int
    customer: int
    placed: int
    note: str


@dataclass(frozen=True)
class Shape:
    """The messages to generate.

    Args:
        messages: How many messages, duplicates, heartbeats and bad ones included.
        keys: Number of rows; about a quarter of the messages.
        tables: Number of tables.
        seed: Another seed generates other messages.
    """

    messages: int
    keys: int
    tables: int = 20
    seed: int = 1

    def all_tables(self) -> list[Table]:
        """Return the tables: every tenth has a key of two columns."""
        return [_table(number) for number in range(self.tables)]


@dataclass
class Row:
    """The current state of a source row; `steps` are its pending changes, `image` its form in the format."""

    table: Table
    number: int
    steps: list[Operation]
    is_snapshot: bool
    values: Values
    image: Object | None = field(default=None)

    @property
    def partition(self) -> int:
        """The partition of all messages of this row."""
        return self.number % PARTITIONS


class Change(NamedTuple):
    """One change of one row, with its images in the format.

    `serial` counts all changes, `serial_in_second` those of the same second; neither occurs twice in a partition.
    """

    operation: Operation
    row: Row
    before: Object | None
    after: Object | None
    millis: int
    serial: int
    serial_in_second: int
    is_snapshot: bool


class ChangeLog:
    """The change log of the rows of one partition: they are inserted, updated and deleted.

    Args:
        shape: The messages of all partitions.
        chance: The random generator.
        image: The form of a row in the format.
        partition: Also the number of its first row and change; every `PARTITIONS`-th is in the same partition.
    """

    def __init__(self, shape: Shape, chance: random.Random, image: Callable[[Row], Object], partition: int) -> None:
        """Start before the first change."""
        self.millis = START_MILLIS
        self._shape = shape
        self._chance = chance
        self._image = image
        self._partition = partition
        self._tables = shape.all_tables()
        self._serial = self._serial_in_second = self._next_number = partition
        self._active: list[Row] = []
        self._settled: list[Row] = []

    def next_change(self) -> Change:
        """Return the next change: a late update, or the next step of some row."""
        self._move_clock()
        if self._settled and (self._chance.random() < LATE_UPDATE_SHARE or self._is_over()):
            return self._change("update", self._chance.choice(self._settled))
        # With very few rows all may have been deleted.
        while not (self._active or self._settled) or (
            len(self._active) < ACTIVE_KEYS // PARTITIONS and self._next_number < self._shape.keys
        ):
            self._active.append(self._new_row())
        place = self._chance.randrange(len(self._active))
        row = self._active[place]
        change = self._change(row.steps.pop(0), row)
        if not row.steps:
            self._active[place] = self._active[-1]
            self._active.pop()
            if row.image is not None:
                self._settled.append(row)
        return change

    def stray(self, number: int) -> Change:
        """Return an insert outside the log, to be damaged."""
        row = Row(_table(number % 10), number, [], False, Values(1, 1, self.millis, "bad"))
        image = self._image(row)
        return Change("insert", row, None, image, self.millis, self._serial, self._serial_in_second, False)

    def _move_clock(self) -> None:
        second = self.millis // 1000
        self.millis += self._chance.choice((0, 0, 1, 3)) * PARTITIONS
        self._serial += PARTITIONS
        self._serial_in_second += PARTITIONS
        if self.millis // 1000 != second:
            self._serial_in_second = self._partition

    def _is_over(self) -> bool:
        return not self._active and self._next_number >= self._shape.keys

    def _new_row(self) -> Row:
        number = self._next_number
        self._next_number += PARTITIONS
        is_snapshot = number < self._shape.keys * SNAPSHOT_SHARE
        steps: list[Operation] = ["insert", *["update"] * self._chance.choice((1, 1, 2, 2, 3))]
        if self._chance.random() < DELETE_SHARE:
            steps.append("delete")
        return Row(self._chance.choice(self._tables), number, steps, is_snapshot, Values(0, 0, 0, ""))

    def _change(self, operation: Operation, row: Row) -> Change:
        before = row.image
        pick = self._chance.randrange
        if operation == "insert":
            placed = self.millis // 1000 * 1000
            row.values = Values(pick(10_000_000), FIRST_ID + pick(10**15), placed, self._chance.choice(NOTES))
        elif operation == "update":
            row.values = row.values._replace(cents=pick(10_000_000))
        row.image = None if operation == "delete" else self._image(row)
        is_snapshot = row.is_snapshot and operation == "insert"
        order = (self.millis, self._serial, self._serial_in_second)
        return Change(operation, row, before, row.image, *order, is_snapshot)


def _table(number: int) -> Table:
    is_composite = number % 10 == 9
    return Table(number, f"{'items' if is_composite else 'orders'}_{number:02d}", is_composite)
