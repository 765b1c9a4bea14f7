"""Since when and until when versions are valid: by name, and any times in any order against a walk along the order."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from row_changes import change, truncate
from watershed_udfs.change import Change, Truncate, is_before_truncate
from watershed_udfs.validity import NEVER_VALID, validities

Ends = list[tuple[int | None, int | None]]


def ends(changes: list[Change], truncates: list[Truncate]) -> Ends:
    """The times of the versions of changes that are given in their order."""
    behind = [[number for number, one in enumerate(truncates) if is_before_truncate(each, one)] for each in changes]
    return [(one.valid_from, one.valid_to) for one in validities(changes, range(len(changes)), truncates, behind)]


def upsert(place: int, time: int | None, partition: int | None = None) -> Change:
    """A change by its sequence, or by its position in a partition."""
    told = {"sequence": place} if partition is None else {"sequence": None, "partition": partition, "image_rank": 0}
    return change(f"u{place}", offset=place, event_at=time, **told)


def emptied(place: int, time: int | None, partition: int | None = None) -> Truncate:
    """The same of a truncate."""
    if partition is None:
        return truncate(place, event_at=time)
    return truncate(offset=place, event_at=time, partition=partition)


@pytest.mark.parametrize(
    ("changes", "truncates", "expected"),
    [
        pytest.param([upsert(1, 1), upsert(2, 5)], [], [(1, 5), (5, None)], id="the next change ends a version"),
        pytest.param([upsert(1, 1)], [emptied(2, 5)], [(1, 5)], id="so does a truncate"),
        pytest.param(
            [upsert(1, 100), upsert(2, 200)],
            [emptied(3, 150)],
            [(100, 200), (200, 200)],
            id="not a truncate after the next change, even if its time is earlier: no gap",
        ),
        pytest.param(
            [upsert(1, 1), upsert(4, 9)], [emptied(3, 7), emptied(2, 5)], [(1, 5), (9, None)], id="the first of two"
        ),
        pytest.param(
            [upsert(1, 1), upsert(4, 9)],
            [emptied(3, 5), emptied(2, 7)],
            [(1, 7), (9, None)],
            id="the first of two in order, even if its time is later",
        ),
        pytest.param(
            [upsert(1, 1), upsert(3, 4)],
            [emptied(2, 7)],
            [(1, 7), (7, None)],
            id="a version does not begin before the one before it ended: no overlap",
        ),
        pytest.param([upsert(1, 5), upsert(2, 3)], [], [(5, 5), (5, None)], id="time does not go back"),
        pytest.param([upsert(1, 5), upsert(2, None)], [], [(5, 5), (5, None)], id="an unknown time is the one before"),
        pytest.param(
            [upsert(1, None), upsert(2, 3)], [], [(None, 3), (3, None)], id="a row of a full load is there before"
        ),
        pytest.param(
            [upsert(1, None), upsert(2, None), upsert(3, 4)],
            [],
            [(None, NEVER_VALID), (None, 4), (4, None)],
            id="of two full loads without a time the second is there before",
        ),
        pytest.param(
            [upsert(1, None), upsert(3, 4)],
            [emptied(2, None)],
            [(None, NEVER_VALID), (4, None)],
            id="a truncate at an unknown time ends a row that was loaded at an unknown time",
        ),
        pytest.param(
            [upsert(1, None), upsert(3, None)],
            [emptied(2, 6)],
            [(None, 6), (6, None)],
            id="after a truncate an unknown time is the truncate's",
        ),
        pytest.param(
            [upsert(1, 1, 0), upsert(9, 9, 0)],
            [emptied(5, 4, 1), emptied(6, 3, 0)],
            [(1, 3), (9, None)],
            id="by position in its own partition",
        ),
        pytest.param(
            [upsert(1, 1, 0), upsert(9, 9, 0)],
            [emptied(5, 4, 1), emptied(2, 3, 2)],
            [(1, 3), (9, None)],
            id="and by time in the others",
        ),
        pytest.param(
            [upsert(1, 1, 0), upsert(2, 5, 1)],
            [emptied(0, 8, 2)],
            [(1, 5), (5, 8)],
            id="where a truncate after the next change ends nothing before it either",
        ),
    ],
)
def test_when_versions_are_valid(changes: list[Change], truncates: list[Truncate], expected: Ends) -> None:
    assert ends(changes, truncates) == expected
    assert ends(changes, truncates[::-1]) == expected


EVENTS = st.lists(st.tuples(st.booleans(), st.none() | st.integers(0, 9)), min_size=1, max_size=8)


@given(EVENTS)
@settings(max_examples=500)
def test_at_each_time_and_place_the_walk_along_the_order_finds_the_version(
    events: list[tuple[bool, int | None]],
) -> None:
    """Events in their order, each a truncate or a change with a time or none."""
    changes = [upsert(place, time) for place, (is_truncate, time) in enumerate(events) if not is_truncate]
    truncates = [emptied(place, time) for place, (is_truncate, time) in enumerate(events) if is_truncate]
    if not changes:
        return
    found = ends(changes, truncates)
    assert all(until is None or until == NEVER_VALID or since is None or since <= until for since, until in found)
    assert [until is None for _, until in found] == [False] * (len(found) - 1) + [not events[-1][0]]
    for time in range(-1, 11):
        valid = [
            place
            for place, (since, until) in enumerate(found)
            if (since is None or since <= time) and (until is None or until > time)
        ]
        assert valid == walked(events, time)


def walked(events: list[tuple[bool, int | None]], time: int) -> list[int]:
    """Which change's row is there at a time: each event counts at its time, or at that of an event before it."""
    row: list[int] = []
    moment = -2
    has_row, number = False, -1
    for is_truncate, at in events:
        if not is_truncate:
            number += 1
        # A truncate of a table without the row does not affect the row's time.
        if has_row or not is_truncate:
            moment = max(moment, -2 if at is None else at)
        has_row = not is_truncate
        if moment <= time:
            row = [number] if has_row else []
    return row
