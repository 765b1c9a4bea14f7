"""Shared parts of the formats: the columns of a row, their types and the form of times."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from benchmarks.change_log import FIRST_ID, Change, Object, Row

_SENTENCE = (
    "Goods are handed to the person at the door against a signature; where nobody opens, the driver leaves a card, "
    "takes them back to the depot of the district and calls the number of the order next working day before noon. "
)
_DETAILS = _SENTENCE * 8


class Family(NamedTuple):
    """The form of changes in a format.

    Args:
        image: A row in the format.
        message: A change as one message: an object for JSON, or bytes; as a list if it takes two.
        heartbeat: A heartbeat of a time in ms; None if the format has none.
        insert: The text of the operation of an insert, to be damaged; empty if the last byte is damaged instead.
        record_key: The record key of a change; None if it has no meaning.
    """

    image: Callable[[Row], Object]
    message: Callable[[Change], Object | bytes | list[Object]]
    heartbeat: Callable[[int], Object] | None
    insert: bytes
    record_key: Callable[[Change], str] | None = None


def columns(row: Row, details_length: int) -> Object:
    """Return the columns of a row, numbers as numbers.

    The amount ends in an odd digit, so that a reader with doubles writes the same literal.
    """
    cents, customer, placed, note = row.values
    start = row.number * 37 % len(_SENTENCE)
    values: Object = {"order_id": key_number(row)}
    if row.table.is_composite:
        values["line"] = row.number % 7
    values["customer_id"] = customer
    values["amount"] = (cents | 1) / 100
    values["placed_at"] = second_text(placed // 1000)
    values["note"] = note
    values["details"] = _DETAILS[start : start + details_length]
    return values


def column_types(row: Row) -> list[tuple[str, str, int]]:
    """Return the columns with their bare MySQL types and their numbers in java.sql.Types."""
    line = [("line", "int", 4)] if row.table.is_composite else []
    types = [("order_id", "bigint", -5), *line, ("customer_id", "bigint", -5), ("amount", "decimal", 3)]
    return [*types, ("placed_at", "datetime", 93), ("note", "varchar", 12), ("details", "varchar", 12)]


def key_names(row: Row) -> list[str]:
    """Return the names of the key columns of a row."""
    return ["order_id", "line"] if row.table.is_composite else ["order_id"]


def key_number(row: Row) -> int:
    """Return the first or only key value of a row: 64 bits are needed."""
    return FIRST_ID + row.number * 1_000_003


def key_texts(row: Row) -> list[str]:
    """Return the key values of a row as texts, in the order of their names."""
    line = [str(row.number % 7)] if row.table.is_composite else []
    return [str(key_number(row)), *line]


def changed(change: Change, of: Object) -> Object:
    """Return those columns of one image of an update that have another value in the other image."""
    assert change.before is not None
    assert change.after is not None
    return {name: value for name, value in of.items() if change.before[name] != change.after[name]}


def store_sequence(change: Change) -> str:
    """Return the sequence of OMS: ten digits of the second, five that count inside it."""
    return f"{change.millis // 1000}{change.serial_in_second:05d}"


@lru_cache(4096)
def second_text(seconds: int, hours: int = 0, mark: str = " ") -> str:
    """Return a time in a zone so many hours ahead of UTC, without the zone."""
    moment = dt.datetime.fromtimestamp(seconds + hours * 3600, dt.UTC)
    return moment.strftime(f"%Y-%m-%d{mark}%H:%M:%S")
