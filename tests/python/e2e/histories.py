"""Random histories of tables, and their expected results.

A history is random; `versions` applies it in order in plain Python, independently of the SQL under test. Its
`HistoryProfile` defines its content and delivery.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

Row = dict[str, Any]
Key = tuple[str, ...]
START_SECONDS = 1_767_225_600
START_MILLIS = START_SECONDS * 1000
NEVER_VALID = -2_208_988_800 - START_SECONDS
"""1900-01-01 as a second of a history: the end of a version that began and ended at unknown times."""
KEY_COLUMNS = {"number": ("id",), "text": ("id",), "pair": ("id", "region")}
KEYS: dict[str, list[Row]] = {
    "number": [{"id": key} for key in [*range(1, 30), 2**53 + 1, 2**63 - 1, -5]],
    "text": [
        {"id": key}
        for key in [
            "a",
            "A",
            "a ",
            "it's",
            'say "hi"',
            "naïve ☃",
            "back\\slash",
            "Ω𝄞",
            "%_",
            "null",
            "007",
            "1e5",
            "{}",
        ]
    ],
    "pair": [{"id": key, "region": region} for key in range(1, 5) for region in ("eu", "EU", "a b", "ü")],
}
NAMES = ["Ada", "it's", 'say "hi"', "naïve", "", "null", "C:\\new", "two\nlines", "☃𝄞", None]
AMOUNTS = ["0.10", "1.00", "-7", "12345678901234567890.123456789012345678", "9007199254740993", "0.000000000000000001"]
TOTALS = [0, -1, 2**53 + 1, 2**63 - 1, -(2**63), 7, None]
NOTES = ["as ordered", "späť", "{}", "[1]", None]


@dataclass(frozen=True)
class HistoryProfile:
    """What a history is like, and how it is delivered."""

    name: str
    steps: int = 50
    key_kind: str = "number"
    """What its key is: a number, a text, or a pair of columns."""
    keys: int = 10
    """How many keys its rows share: with few, keys come back."""
    moves: float = 0.1
    """How many of the steps change a key, or swap two."""
    truncates: float = 0.02
    per_second: int = 1
    """About how many steps share a second."""
    per_message: int = 1
    """How many rows that a statement changed alike share a message at most, where the format allows it."""
    loaded: int = 0
    """Rows of a full load before all steps."""
    reloaded: int = 0
    """How many of them a second full load reads once more, changed."""
    is_partial: bool = False
    """Images leave out what did not change, where the format can."""
    sequence: str = "padded"
    """What the numbers of the source look like: second and serial (padded, plain), millis, counter, none."""
    copies: int = 2
    """How often each message comes."""
    partitions: int = 3
    is_scattered: bool = False
    """Changes of a row are in any partition if the format allows it, else in that of its key."""
    is_backwards: bool = False
    """Times go back inside a partition, where they are not part of the order."""
    is_repartitioned: bool = False
    """Late in the history keys go to other partitions, where times go back."""
    has_full_key_updates: bool = True
    """A primary-key update contains the whole row, also where images are partial."""
    has_before: bool = True
    """The row before a change is sent, where the format leaves that open."""


PROFILES = (
    HistoryProfile("plain"),
    HistoryProfile("crowded", per_second=12, per_message=4, sequence="plain", copies=5),
    # Messages that change a row several times, and its key: from 1 to 2 and on to 3, or back to 1.
    HistoryProfile("several_in_a_message", steps=60, per_second=15, per_message=8, keys=4, moves=0.5, partitions=1),
    HistoryProfile("moving", keys=5, moves=0.5, copies=5, per_second=3),
    HistoryProfile("truncated", truncates=0.12, loaded=5, partitions=5),
    HistoryProfile("partial", is_partial=True, keys=4, moves=0.08),
    HistoryProfile("partial_crowd", is_partial=True, keys=4, per_second=8, copies=1, is_scattered=True),
    # Few keys, to which rows come back; long chains over many.
    HistoryProfile("moved_in_part", steps=60, keys=4, moves=0.4, is_partial=True, has_full_key_updates=False, copies=5),
    HistoryProfile("chained", steps=60, keys=12, moves=0.9, truncates=0, is_partial=True, has_full_key_updates=False),
    HistoryProfile("texts", key_kind="text", copies=1, moves=0.2),
    HistoryProfile("pairs", key_kind="pair", moves=0.4, is_scattered=True, copies=5, sequence="millis", per_second=6),
    HistoryProfile("counted", sequence="counter", per_second=5, is_scattered=True),
    HistoryProfile("unnumbered", sequence="none", per_second=4, moves=0.3, keys=6),
    HistoryProfile("without_before", has_before=False, per_second=9, sequence="millis", is_scattered=True, keys=4),
    HistoryProfile("backwards", is_backwards=True, partitions=1, per_second=3, moves=0.2),
    HistoryProfile(
        "backwards_spread", is_backwards=True, per_second=4, per_message=3, moves=0.4, keys=5, truncates=0.05, copies=1
    ),
    HistoryProfile(
        "repartitioned",
        is_backwards=True,
        is_repartitioned=True,
        steps=200,
        keys=30,
        partitions=7,
        moves=0.02,
        truncates=0,
        copies=1,
    ),
    HistoryProfile("loaded", loaded=12, keys=12, is_scattered=True, partitions=5, has_before=False),
    HistoryProfile("reloaded", loaded=8, reloaded=5, keys=8, has_before=False),
)


@dataclass(frozen=True)
class Step:
    """One change at the source: before and after are rows, both None for a truncate (or drop)."""

    operation: str
    before: Row | None = None
    after: Row | None = None
    number: int = 0
    second: int = 0
    """Counts from START_SECONDS; that of a full load is 0."""
    serial: int = 0
    """Place inside the second, from 1."""

    @property
    def moves(self) -> bool:
        """Whether it changes the key."""
        return self.before is not None and self.after is not None and key_of(self.before) != key_of(self.after)

    @property
    def changed(self) -> Row:
        """The columns whose values changed, with those from before."""
        assert self.before is not None
        assert self.after is not None
        return {name: value for name, value in self.before.items() if self.after[name] != value}


@dataclass(frozen=True)
class Version:
    """A version of a row; row is None while it did not exist. Times are seconds of the history.

    valid_from is None if it is unknown, valid_to while the version is valid.
    """

    row: Row | None
    valid_from: int | None
    valid_to: int | None
    is_current: bool


def key_of(row: Row) -> Key:
    """The values of the key columns, as text."""
    return tuple(str(row[name]) for name in ("id", "region") if name in row)


def draw(chance: random.Random, profile: HistoryProfile) -> list[Step]:
    """Draw a history of one table."""
    keys = KEYS[profile.key_kind][-profile.keys :]
    live: dict[Key, Row] = {}
    steps: list[Step] = []
    for key in keys[: profile.loaded]:
        live[key_of(key)] = _row(chance, key, len(steps))
        steps.append(Step("load", None, live[key_of(key)]))
    for key in keys[: profile.reloaded]:
        live[key_of(key)] = _changed(chance, live[key_of(key)], len(steps))
        steps.append(Step("load", None, live[key_of(key)]))
    while len(steps) < profile.steps + profile.loaded + profile.reloaded:
        for step in _next(chance, profile, keys, live, len(steps)):
            apply(step, live)
            steps.append(step)
    return timed(steps, chance, profile)


def apply(step: Step, live: dict[Key, Row]) -> None:
    """Apply a step to the live rows."""
    if step.operation in ("truncate", "drop"):
        live.clear()
    if step.before is not None:
        del live[key_of(step.before)]
    if step.after is not None:
        live[key_of(step.after)] = step.after


def without_truncates(steps: list[Step]) -> list[Step]:
    """The same final rows for formats without TRUNCATE: each row is deleted."""
    live: dict[Key, Row] = {}
    said: list[Step] = []
    for step in steps:
        emptying = step.operation in ("truncate", "drop")
        said += [Step("delete", row) for row in live.values()] if emptying else [step]
        apply(step, live)
    return said


def timed(steps: list[Step], chance: random.Random, profile: HistoryProfile) -> list[Step]:
    """Number the steps and give them seconds. A truncate starts one: in some formats it counts before all of it."""
    told: list[Step] = []
    second = serial = 0
    for number, step in enumerate(steps, 1):
        starts_second = step.operation in ("truncate", "drop") or chance.randrange(profile.per_second) == 0
        if step.operation != "load" and (starts_second or second == 0):
            second, serial = second + 1, 0
        serial += 1
        told.append(replace(step, number=number, second=second, serial=serial))
    return told


def fold(steps: list[Step]) -> dict[Key, Row]:
    """Apply a history in order; the rows by key."""
    live: dict[Key, Row] = {}
    for step in steps:
        apply(step, live)
    return live


def versions(steps: list[Step], loads_have_time: bool) -> dict[Key, list[Version]]:
    """Apply a history in order; all versions of each key."""
    told: dict[Key, list[tuple[Row | None, int | None, int]]] = {}
    truncates = [(step.number, step.second) for step in steps if step.operation in ("truncate", "drop")]
    for step in steps:
        second = step.second if step.operation != "load" or loads_have_time else None
        if step.before is not None and (step.after is None or step.moves):
            told.setdefault(key_of(step.before), []).append((None, second, step.number))
        if step.after is not None:
            told.setdefault(key_of(step.after), []).append((step.after, second, step.number))
    histories: dict[Key, list[Version]] = {}
    for key, states in told.items():
        nexts = [*((number, second) for _, second, number in states[1:]), None]
        for (row, second, number), following in zip(states, nexts, strict=True):
            # The end that comes first in the order; the time of a load may be unknown.
            ends = [end for end in (following, *truncates) if end is not None and end[0] > number]
            valid_to = min(ends)[1] if ends else None
            if ends and valid_to is None:
                valid_to = NEVER_VALID if second is None else second
            is_current = not ends and row is not None
            histories.setdefault(key, []).append(Version(row, second, valid_to, is_current))
    return histories


def _next(
    chance: random.Random, profile: HistoryProfile, keys: list[Row], live: dict[Key, Row], number: int
) -> Iterator[Step]:
    kind = chance.random()
    free = [key for key in keys if key_of(key) not in live]
    if kind < profile.truncates:
        yield Step(chance.choice(["truncate", "drop"]))
    elif live and free and kind > 1 - profile.moves:
        first = chance.choice(list(live.values()))
        step = Step("update", first, _changed(chance, first, number, chance.choice(free)))
        yield step
        others = [row for row in live.values() if row is not step.after]
        if others and chance.random() < 0.3:
            # Two rows swap their keys by way of a free one.
            second = chance.choice(others)
            yield Step("update", second, _changed(chance, second, number + 1, _key(first)))
            yield Step("update", step.after, _changed(chance, step.after or {}, number + 2, _key(second)))
    elif not live or (free and kind < 0.3):
        yield Step("insert", None, _row(chance, chance.choice(free), number))
    elif kind < 0.45:
        yield Step("delete", chance.choice(list(live.values())))
    else:
        row = chance.choice(list(live.values()))
        yield Step("update", row, _changed(chance, row, number))


def _key(row: Row) -> Row:
    return {name: row[name] for name in ("id", "region") if name in row}


def _row(chance: random.Random, key: Row, number: int) -> Row:
    return key | {name: _value(chance, name) for name in ("name", "amount", "total", "note")} | {"version": number}


def _changed(chance: random.Random, row: Row, number: int, key: Row | None = None) -> Row:
    """The row with some columns changed; version always is, so that no two states of a key are the same."""
    names = chance.sample(["name", "amount", "total", "note"], chance.randrange(4))
    changed = row | (key or {}) | {name: _value(chance, name) for name in names} | {"version": number}
    # A LOB that is null in both images counts as not sent: a primary-key update would need it from another row.
    return changed | ({"note": changed["note"] or "moved"} if key else {})


def _value(chance: random.Random, name: str) -> Decimal | int | str | None:
    if name == "amount":
        return Decimal(chance.choice(AMOUNTS)) if chance.random() < 0.5 else Decimal(chance.randrange(10**6)) / 100
    return chance.choice({"name": NAMES, "total": TOTALS, "note": NOTES}[name])
