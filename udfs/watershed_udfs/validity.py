"""The validity period of each version of a row. No pyspark, no Arrow (docs/analysts.md)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from watershed_udfs.change import Change, Truncate, change_order, known, message_of

NEVER_VALID = (datetime(1900, 1, 1, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
"""The end of a version that began and ended at unknown times: before the time of any change, so no time finds it."""


class Validity(NamedTuple):
    """The validity of a version in microseconds since 1970, and the change or truncate that ended it."""

    valid_from: int | None
    """Null if it is unknown."""
    valid_to: int | None
    """Exclusive; null while the version is valid."""
    ending_change: int | None
    ending_truncate: int | None


def validities(
    changes: Sequence[Change],
    ordered: Sequence[int],
    truncates: Sequence[Truncate],
    later_truncates: Sequence[Sequence[int]],
) -> list[Validity]:
    """Compute the validity of the versions of n effective changes of a row, in their order.

    A version ends with the next change or with a truncate, whichever comes first in the order. Times may go backwards
    in the order, or be unknown. Therefore a version never begins before the previous one ended, never ends before it
    began, and ends when it began if the time of its end is unknown. At most one version is valid at any time.

    Args:
        changes: the changes of one row.
        ordered: numbers of those that produce a version, n > 0, in the order of the source.
        truncates: all truncates of the row's table.
        later_truncates: for each of `changes` the numbers of the truncates after it; empty without truncates.
    """
    found = []
    since: int | None = None
    for number, following in zip(ordered, [*ordered[1:], None], strict=True):
        since = _later(since, changes[number].event_at)
        after_following = set(later_truncates[following]) if truncates and following is not None else set()
        between = [one for one in later_truncates[number] if one not in after_following] if truncates else []
        truncate = _first(between, truncates, changes[number]) if between else None
        if truncate is not None:
            until = _later(since, truncates[truncate].event_at)
        elif following is not None:
            until = _later(since, changes[following].event_at)
        else:
            found.append(Validity(since, None, None, None))
            continue
        valid_to = NEVER_VALID if until is None else until
        found.append(Validity(since, valid_to, following if truncate is None else None, truncate))
        since = until
    return found


def _first(numbers: Sequence[int], truncates: Sequence[Truncate], change: Change) -> int:
    """Choose the first of the truncates after a change.

    Truncates without a sequence in another partition than the change's are compared by time only.
    """
    comparable: list[int] = []
    elsewhere: list[int] = []
    for number in numbers:
        one = truncates[number]
        is_elsewhere = one.is_by_position and (one.topic is None or message_of(one)[:2] != message_of(change)[:2])
        (elsewhere if is_elsewhere else comparable).append(number)
    candidates = []
    if comparable:
        candidates.append(min(comparable, key=lambda number: change_order(truncates[number])))
    if elsewhere:
        candidates.append(min(elsewhere, key=lambda n: (known(truncates[n].event_at), change_order(truncates[n]))))
    return min(candidates, key=lambda number: known(truncates[number].event_at))


def _later(one: int | None, other: int | None) -> int | None:
    return max((time for time in (one, other) if time is not None), default=None)
