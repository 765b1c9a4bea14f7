"""The fold: computes the state of a row from its changes. No pyspark, no Arrow (ADR 0016).

Read it from `fold` downwards. A row is a set of changes that arrive in any order, some twice, some many builds later.
`fold` sorts them in the order of the source and determines which of them later builds still need; `newest_version`
and `all_versions` return the current row and its history. The result depends only on the set, so it is the same
however many builds it took.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from watershed_udfs.change import (
    REMOVALS,
    UNKNOWN,
    Change,
    Key,
    Postimage,
    Truncate,
    change_order,
    is_base,
    is_before_truncate,
    is_removal,
    known,
    position_of,
    postimages_of,
)
from watershed_udfs.images import Columns, image_of, read_image


class Version(NamedTuple):
    """The row after one of its changes."""

    change: int
    """Which of the changes given."""
    is_deleted: bool
    live: list[int]
    """The changes whose images make the row up, the newest last; none of a row that was deleted."""
    is_whole: bool
    """Whether the images start from a whole one."""
    is_soft_deleted: bool | None
    """The soft-delete flag of the newest image that has one."""


class Pair(NamedTuple):
    """A preimage that removes nothing, because its postimage exists."""

    change: int
    place: int
    """Place of the postimage in the order."""
    is_of_message: bool
    """Whether the postimage came in the same message."""


class Folded(NamedTuple):
    """The changes of a row in order, and those that later builds need. Numbers are indexes of the given changes."""

    changes: Sequence[Change]
    ordered: list[int]
    """The first copy of each change that counts."""
    orders: dict[int, Order]
    pairs: list[Pair]
    kept: list[int]
    """The changes that may still count, in their order. All others may be forgotten."""
    spans_partitions: bool
    """Whether changes without a sequence came in several partitions."""

    @property
    def ties(self) -> int:
        """How many changes differ from the newest one only in their position."""
        newest = self.orders[self.ordered[-1]].tie
        return sum(self.orders[number].tie == newest for number in self.kept) - 1


def fold(changes: Sequence[Change], spanned_partitions: bool = False, by_position: bool = False) -> Folded:
    """Fold n changes of one row, n > 0, in any order, in the time of sorting them.

    Args:
        changes: the changes kept by earlier builds, then the new ones, with or without their duplicates. If a change
            occurs twice at one position, it was read again, and the last reading applies.
        spanned_partitions: `spans_partitions` of an earlier build.
        by_position: whether position breaks ties of the sequence.
    """
    partitions = {(one.topic, one.partition) for one in changes if one.sequence is None}
    spans_partitions = spanned_partitions or len(partitions) > 1
    firsts = _first_copies(changes)
    postimages = postimages_of(changes, firsts)
    counting = [number for number in firsts if number not in postimages]
    ordered, orders = _in_order(changes, counting, spans_partitions, by_position)
    kept = _changes_to_keep(changes, ordered, spans_partitions)
    return Folded(changes, ordered, orders, _pairs(changes, postimages, ordered), kept, spans_partitions)


def newest_version(folded: Folded, truncates: Sequence[Truncate] = ()) -> Version:
    """Return the current row, which the kept changes determine."""
    *_, (number, live, starts_whole) = _lives(folded.changes, folded.kept)
    return _version(folded.changes, number, list(live.values()), starts_whole, truncates)


def all_versions(folded: Folded, truncates: Sequence[Truncate] = ()) -> Iterator[Version]:
    """Yield the row after each effective change, in their order."""
    for number, live, starts_whole in _lives(folded.changes, folded.ordered):
        yield _version(folded.changes, number, list(live.values()), starts_whole, truncates)


def image_after(changes: Sequence[Change], version: Version) -> str | None:
    """Return the row of a version as canonical JSON: its live images overlaid in order; null without any."""
    images = [changes[number].row_image for number in version.live]
    if len(images) == 1:
        return None if images[0] is None else images[0].decode(errors="replace")
    columns: Columns = {}
    for image in images:
        columns |= read_image(image) or {}
    return image_of(columns) if images else None


# ----------------------------------------------------------------------------------------------------- copies and pairs


def _first_copies(changes: Sequence[Change]) -> list[int]:
    """Choose one copy of each change: its first position, in the last reading."""
    first: dict[str, tuple[Key, int]] = {}
    for number, change in enumerate(changes):
        found = (change_order(change), -number)
        if change.change_id not in first or found < first[change.change_id]:
            first[change.change_id] = found
    return sorted(-number for _, number in first.values())


def _pairs(changes: Sequence[Change], postimages: dict[int, Postimage], ordered: list[int]) -> list[Pair]:
    """Pair each preimage that removes nothing with the place of its postimage."""
    places = {changes[number].change_id: place for place, number in enumerate(ordered if postimages else ())}
    return [Pair(number, places[one.change_id], one.is_of_message) for number, one in sorted(postimages.items())]


# ------------------------------------------------------------------------------------------------------------ the order


class Order(NamedTuple):
    """The criteria that order a change after another, compared from left to right."""

    phase: int
    sequence: Key
    serial: Key
    time: Key
    """For a row in several partitions, whose positions are not comparable."""
    image: int
    position: Key
    chain: Key
    last_serial: Key
    """For chained changes, whose serial is only the time of writing."""
    last_removal: bool
    last_image: int
    place: Key
    """Breaks ties, independent of the time of arrival."""

    @property
    def tie(self) -> Key:
        """All criteria except the tie-breaker."""
        return self[:-1]


_CRITERIA = {"last_serial": "serial", "last_removal": "chain", "last_image": "image", "place": "tie"}
"""Names of criteria for `decided_by`, where they differ from the fields of Order."""


def _in_order(
    changes: Sequence[Change], counting: list[int], spans_partitions: bool, by_position: bool
) -> tuple[list[int], dict[int, Order]]:
    """Sort changes of a row: by the format's order, then by the chain of their images, then by place."""
    orders = {number: _order(changes[number], spans_partitions, by_position) for number in counting}
    chained: dict[Key, list[int]] = defaultdict(list)
    for number, order in orders.items():
        if changes[number].before_hash is not None:
            chained[order[: order._fields.index("chain")]].append(number)
    for tied in chained.values():
        if len(tied) > 1:
            orders |= _chained(changes, tied, orders)
    return sorted(counting, key=orders.__getitem__), orders


def _order(change: Change, spans_partitions: bool, by_position: bool) -> Order:
    is_chained = change.before_hash is not None
    has_sequence = change.sequence is not None
    return Order(
        change.phase,
        known(change.sequence),
        UNKNOWN if is_chained else known(change.serial),
        _time_of(change) if spans_partitions and not has_sequence else UNKNOWN,
        0 if is_chained else change.image_rank,
        position_of(change) if by_position or not has_sequence else (),
        UNKNOWN,
        known(change.serial) if is_chained else UNKNOWN,
        False,
        change.image_rank if is_chained else 0,
        (change_order(change), change.change_id),
    )


def _time_of(change: Change) -> Key:
    """Order changes of several partitions: sources give the time in seconds or milliseconds, the log decides ties."""
    return known(change.event_at), known(change.sequence_number)


def _chained(changes: Sequence[Change], tied: list[int], orders: dict[int, Order]) -> dict[int, Order]:
    """Order the changes of one time by their images: the last is the one whose result no other change started from.

    In a cycle (such as an insert and its delete) the serial decides, then a removal or a soft delete is last. If a
    change does not contain its before image, the chain is unknown.
    """
    starting_from = defaultdict(set)
    for number in tied:
        starting_from[changes[number].before_hash].add(number)
    if "unknown" in starting_from:
        return {}
    chained = {}
    for number in tied:
        result = b"" if is_removal(changes[number]) else changes[number].row_image or b""
        is_left = bool(starting_from[hashlib.sha256(result).hexdigest()] - {number})
        is_removed = changes[number].change_type in REMOVALS
        chained[number] = orders[number]._replace(chain=known(not is_left), last_removal=is_left and is_removed)
    return chained


def decided_by(folded: Folded, place: int) -> str:
    """Name the criterion that orders a change after the previous one: the first that differs."""
    if place == 0:
        return "first"
    before, change = (folded.changes[number] for number in folded.ordered[place - 1 : place + 1])
    previous, order = (folded.orders[number] for number in folded.ordered[place - 1 : place + 1])
    is_one_partition = (change.topic, change.partition) == (before.topic, before.partition)
    for name in Order._fields:
        # Positions in different partitions are not comparable, so that is a tie too.
        if getattr(order, name) != getattr(previous, name) and (name != "position" or is_one_partition):
            return _CRITERIA.get(name, name)
    return "tie"


# --------------------------------------------------------------------------------------------------------- kept changes


def _changes_to_keep(changes: Sequence[Change], ordered: list[int], spans_partitions: bool) -> list[int]:
    """Drop changes that can never have an effect again.

    These are the changes before the newest base, all but the newest of images with the same columns, and a preimage
    followed by another change. "Before" must hold in every order that the row can still get (`_Frontier`). In a chain
    each change may order others, so only a base ends it.
    """
    newest, newest_base = _Frontier(), _Frontier()
    newest_of_names: dict[object, _Frontier] = defaultdict(_Frontier)
    lasting = {number: _lasting_orders(changes[number], spans_partitions) for number in ordered}
    ends = {number: [newest_base] for number in ordered}
    for number in ordered:
        one = changes[number]
        newest.add(lasting[number])
        if is_base(one):
            newest_base.add(lasting[number])
        elif one.before_hash is None and is_removal(one):
            ends[number].append(newest)
        elif one.before_hash is None:
            ends[number].append(newest_of_names[_names(number, one)])
            ends[number][-1].add(lasting[number])
    return [number for number in ordered if all(end.may_have_effect(lasting[number]) for end in ends[number])]


class Lasting(NamedTuple):
    """The sort keys that a change may get later, without the parts that a copy could change."""

    now: Key
    if_spread: Key | None
    """Once its row is in several partitions."""
    in_log: Key | None
    """Once the first copies of all changes have been read, where messages contain the position in the source log."""


class _Frontier:
    """The greatest of some changes in each order that they can have; a change before all has no effect any more."""

    def __init__(self) -> None:
        self.now: Key | None = None
        self.if_spread: Key | None = None
        self.in_log: Key | None = None

    def add(self, orders: Lasting) -> None:
        now, if_spread, in_log = orders
        if self.now is None or now > self.now:
            self.now = now
        if if_spread is not None and (self.if_spread is None or if_spread > self.if_spread):
            self.if_spread = if_spread
        if in_log is not None and (self.in_log is None or in_log > self.in_log):
            self.in_log = in_log

    def may_have_effect(self, orders: Lasting) -> bool:
        now, if_spread, in_log = orders
        return (
            self.now is None
            or now >= self.now
            or (if_spread is not None and self.if_spread is not None and if_spread >= self.if_spread)
            or (in_log is not None and (self.in_log is None or in_log >= self.in_log))
        )


def _lasting_orders(change: Change, spans_partitions: bool) -> Lasting:
    """Return the sort keys of a change without the parts that an earlier copy could change.

    A copy at an earlier position moves the change there, so position is left out. Exception: without sequence and
    serial, another position is another change; or the source-log position shows which first copy is earlier, unless
    both are equal. If the row later spans partitions, time is compared before position.
    """
    has_sequence = change.sequence is not None
    is_chained = change.before_hash is not None
    is_placed = change.phase == 1 and not has_sequence and change.serial is None
    now = (
        change.phase,
        known(change.sequence),
        UNKNOWN if is_chained else known(change.serial),
        _time_of(change) if spans_partitions and not has_sequence else UNKNOWN,
        0 if is_chained else change.image_rank,
        position_of(change) if is_placed and not (spans_partitions and change.sequence_number is not None) else (),
    )
    if change.phase != 1 or has_sequence or spans_partitions:
        return Lasting(now, None, None)
    in_log = None if change.sequence_number is None else (change.sequence_number,)
    return Lasting(now, (*_time_of(change), known(change.offset), change.event_index), in_log)


# --------------------------------------------------------------------------------------------------------- the versions


def _lives(changes: Sequence[Change], ordered: list[int]) -> Iterator[tuple[int, dict[object, int], bool]]:
    """Yield for each change the images that make up the row after it, and whether they start from a full one.

    These are the newest full image and the partial images after it, the last for each set of columns. A delete clears
    them; a preimage hides nothing from later changes. The same dict is yielded each time.
    """
    live: dict[object, int] = {}
    starts_whole = False
    for number in ordered:
        change = changes[number]
        if is_base(change):
            live.clear()
            starts_whole = change.image_scope == "full" and not is_removal(change)
        if not is_removal(change):
            starts_whole |= change.image_scope == "given" and not live
            names = None if is_base(change) else _names(number, change)
            live.pop(names, None)
            live[names] = number
        yield number, live, starts_whole


def _version(
    changes: Sequence[Change], number: int, live: list[int], starts_whole: bool, truncates: Sequence[Truncate]
) -> Version:
    """Drop images that a truncate before the change emptied, and determine whether the row is deleted.

    A soft delete applies until a later image revokes it.
    """
    between = [truncate for truncate in truncates if not is_before_truncate(changes[number], truncate)]
    shown = [one for one in live if not any(is_before_truncate(changes[one], truncate) for truncate in between)]
    flags = [flag for one in shown if (flag := changes[one].is_soft_deleted) is not None]
    is_soft_deleted = flags[-1] if flags else None
    is_deleted = is_removal(changes[number]) or bool(is_soft_deleted)
    return Version(number, is_deleted, shown, starts_whole and len(shown) == len(live), is_soft_deleted)


def _names(number: int, change: Change) -> object:
    """Return the column names of an image; an unreadable one equals no other."""
    columns = read_image(change.row_image)
    return number if columns is None else frozenset(columns)
