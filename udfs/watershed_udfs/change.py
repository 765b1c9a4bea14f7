"""A change of a row and a truncate of its table: their effect and their position. No pyspark, no Arrow."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NamedTuple

Key = tuple[Any, ...]
"""A sort key of changes: parts of `known`, so that null sorts first, as in Spark."""

REMOVALS = frozenset({"delete", "update_preimage", "key_update_preimage"})
"""key_update_preimage: the preimage of a primary-key update of which no half is missing (model `int_old_key_rows`)."""
STARTS = frozenset({"full", "carried"})
"""Scopes of images that nothing older shows through."""
UNKNOWN: Key = (0,)


class Change(NamedTuple):
    """One change of a row at one position: the columns of `int_row_changes`."""

    phase: int
    """0 for rows of a full load, else 1."""
    sequence: Decimal | None
    serial: Decimal | None
    image_rank: int
    topic: str | None
    partition: int | None
    offset: int | None
    event_index: int
    change_id: str
    change_type: str
    image_scope: str
    """full, carried (completed from the row of the old key), given (may lack columns), partial, key, none."""
    row_image: bytes | None
    event_at: int | None
    """Microseconds since 1970."""
    before_hash: str | None
    """SHA-256 of the image that the change started from, 'unknown', or null where the format has no such chain."""
    is_soft_deleted: bool | None
    sequence_number: Decimal | None = None
    """Position in the source log, null where the message has none; orders changes that `sequence` does not."""


class Truncate(NamedTuple):
    """A TRUNCATE or DROP of the row's table: an item of `table_truncates`."""

    is_by_position: bool
    phase: int
    sequence: Decimal | None
    serial: Decimal | None
    image_rank: int
    topic: str | None
    partition: int | None
    offset: int | None
    event_index: int
    event_at: int | None


def is_removal(change: Change) -> bool:
    """Whether the row and its columns are gone after it: a delete, or a before image whose other half did not arrive.

    A soft delete is not one: it hides its row and keeps the columns, which return once an image revokes the mark.
    """
    return change.change_type in REMOVALS and not change.is_soft_deleted


def is_base(change: Change) -> bool:
    """Whether older changes become irrelevant: a delete or a full image. Not a preimage: its row may return."""
    is_removed = is_removal(change)
    return (is_removed and change.change_type == "delete") or (not is_removed and change.image_scope in STARTS)


def is_before_truncate(change: Change, truncate: Truncate) -> bool:
    """Whether a truncate of the table sorts after a change.

    By the order of the format; without a sequence rows of a full load first, then by position in its own partition,
    and by time in the others.
    """
    if truncate.is_by_position:
        if change.sequence is not None:
            return False
        if change.phase < truncate.phase:
            return True
        if (change.topic, change.partition) != (truncate.topic, truncate.partition) or change.topic is None:
            times = change.event_at, truncate.event_at
            return times[0] is not None and times[1] is not None and times[0] < times[1]
    return change_order(change) <= change_order(truncate)


def is_preimage(change: Change) -> bool:
    """Whether it is the row before an update, which has no effect once its postimage exists."""
    return change.change_type == "update_preimage"


def is_postimage(change: Change) -> bool:
    """Whether a preimage may belong to it; a soft delete is an update too."""
    return change.change_type == "update_postimage" or bool(change.is_soft_deleted)


def known(value: Any) -> Key:  # noqa: ANN401
    """Return a comparable form of a nullable value."""
    return UNKNOWN if value is None else (1, value)


def position_of(change: Change | Truncate) -> Key:
    """The position of its event."""
    return known(change.topic), known(change.partition), known(change.offset), change.event_index


def change_order(change: Change | Truncate) -> Key:
    """Its `change_order`, as Spark compares it."""
    return change.phase, known(change.sequence), known(change.serial), change.image_rank, *position_of(change)


def step_of(change: Change) -> Key:
    """The key that both halves of a change share: a part of the order, and the position in the source log."""
    return change.phase, change.sequence, change.serial, change.sequence_number


def message_of(change: Change | Truncate) -> Key:
    """The position of its message."""
    return change.topic, change.partition, change.offset


def next_message(change: Change) -> Key:
    """The position of the next message of its partition."""
    return change.topic, change.partition, None if change.offset is None else change.offset + 1
