"""A change of a row and a truncate of its table: their effect, their position, and the halves of an update.

No pyspark, no Arrow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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


class Postimage(NamedTuple):
    """The postimage that belongs to a preimage."""

    change_id: str
    is_of_message: bool
    """Whether it is in the same message; else it has the same sequence, or is in the next message."""


def postimages_of(changes: Sequence[Change], firsts: Sequence[int]) -> dict[int, Postimage]:
    """Find the postimage of each preimage of one row; preimages without one are omitted.

    In a message it is the event right after the preimage, because a message may hold several updates of the row. In
    other messages it has the same sequence, or without a sequence it is the first event of the next message.

    Args:
        changes: n changes of one row with all their duplicates: the halves of one update may be redelivered separately.
        firsts: numbers of the first copy of each change.
    """
    # A REPLACE is an upsert with the image of the row that it replaces.
    by_position = {
        (message_of(one), one.event_index): one for one in changes if is_postimage(one) or one.change_type == "upsert"
    }
    if not by_position:
        return {}
    in_message = {
        one.change_id: after
        for one in changes
        if is_preimage(one)
        and (after := by_position.get((message_of(one), one.event_index + 1)))
        and step_of(one) == step_of(after)
    }
    by_step = _last_of_each_step(changes[number] for number in firsts if is_postimage(changes[number]))
    found = {}
    for number in firsts:
        if is_preimage(one := changes[number]):
            if after := in_message.get(one.change_id):
                found[number] = Postimage(after.change_id, is_of_message=True)
            elif after := _in_another_message(one, by_step, by_position):
                found[number] = Postimage(after.change_id, is_of_message=False)
    return found


def _in_another_message(
    preimage: Change, by_step: dict[Key, Change], by_position: dict[tuple[Key, int], Change]
) -> Change | None:
    if preimage.sequence is not None:
        # The sequence does not distinguish chained changes of one time, nor images of equal rank: their halves are in
        # one message.
        is_identified_by_sequence = preimage.image_rank == 0 and preimage.before_hash is None
        return by_step.get(step_of(preimage)) if is_identified_by_sequence else None
    after = by_position.get((next_message(preimage), 0))
    # The order of a row in several partitions is by time: there the postimage must not come before its preimage.
    is_after = after is not None and known(preimage.event_at) <= known(after.event_at)
    belongs = after is not None and is_postimage(after) and step_of(preimage) == step_of(after)
    return after if belongs and is_after else None


def _last_of_each_step(postimages: Iterable[Change]) -> dict[Key, Change]:
    return {step_of(one): one for one in sorted(postimages, key=lambda one: (change_order(one), one.change_id))}
