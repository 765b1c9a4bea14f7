"""Preimages that remove nothing because their postimage has arrived. No pyspark, no Arrow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from watershed_udfs.change import (
    Change,
    Key,
    change_order,
    is_postimage,
    is_preimage,
    known,
    message_of,
    next_message,
    step_of,
)


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
