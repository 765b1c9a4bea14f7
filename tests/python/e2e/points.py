"""What row_history must show at points in time and in order: the history up to there, applied in plain Python.

The filters are those of docs/analysts.md, so a point finds every version of a table that they match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from encoders import Table, VendorFormat
from encoders.table import as_text
from histories import Key, Row, Version, fold

Rows = dict[Key, list[Row]]
BEFORE_ALL = -1_000_000
"""A second before every history."""


class Place(NamedTuple):
    """A part of a change_order."""

    phase: int
    sequence: int | None
    offset: int


@dataclass(frozen=True)
class FoundVersion:
    """A version of row_history, with the places where it starts and ends."""

    version: Version
    start: Place
    end: Place | None


def differences_at_points(
    vendor_format: VendorFormat, table: Table, found: dict[Key, list[FoundVersion]]
) -> Iterator[tuple[str, Rows, Rows]]:
    """Give each point of a table at which other rows are found than there were: the point, both rows."""
    versions = vendor_format.versions(table)
    times = {time for told in versions.values() for one in told for time in (one.valid_from, one.valid_to)}
    known = {time for time in times if time is not None and time > BEFORE_ALL}
    for second in sorted({BEFORE_ALL} | known | {time - 1 for time in known}):
        expected = _rows_at_time(vendor_format, table, versions, second)
        if (rows := _found(found, lambda one, at=second: _is_valid_at(one.version, at))) != expected:
            yield f"second {second}", expected, rows
    if vendor_format.sequence_of is not None:
        steps = [(_sequence_of(vendor_format, table, number), step) for number, step in enumerate(table.steps)]
        # Some formats cannot mark loads: these have the sequence of an insert.
        has_loads = any(one.start.phase == 0 for versions_of_key in found.values() for one in versions_of_key)
        for sequence in sorted({of_step for of_step, _ in steps if of_step >= 0 or has_loads}):
            expected = _as_lists(fold([step for of_step, step in steps if of_step <= sequence]))
            if (rows := _found(found, lambda one, at=sequence: _is_valid_at_sequence(one, at))) != expected:
                yield f"sequence {sequence}", expected, rows
    elif vendor_format.versions_up_to is not None and table.profile.partitions == 1:
        ends = {one.start.offset for versions in found.values() for one in versions}
        for offset in sorted(ends):
            told = vendor_format.versions_up_to(table, offset)
            expected = _as_lists({key: versions[-1].row for key, versions in told.items() if versions[-1].is_current})
            if (rows := _found(found, lambda one, at=offset: _is_valid_at_offset(one, at))) != expected:
                yield f"offset {offset}", expected, rows


def _sequence_of(vendor_format: VendorFormat, table: Table, number: int) -> int:
    assert vendor_format.sequence_of is not None
    step = table.steps[number]
    return -1 if step.operation == "load" else vendor_format.sequence_of(table, step)


def _rows_at_time(vendor_format: VendorFormat, table: Table, versions: dict[Key, list[Version]], second: int) -> Rows:
    """The rows of the history at a time; where times go back along its order, those of the versions of each key."""
    if vendor_format.expect is not None:
        at_time = [(key, one.row) for key, told in versions.items() for one in told if _is_valid_at(one, second)]
        assert len({key for key, _ in at_time}) == len(at_time)
        return _as_lists(dict(at_time))
    are_loads_known = not vendor_format.has_load_times
    return _as_lists(
        fold([one for one in table.steps if one.second <= second or (are_loads_known and one.operation == "load")])
    )


def _as_lists(rows: dict[Key, Row] | dict[Key, Row | None]) -> Rows:
    return {key: [as_text(row)] for key, row in rows.items() if row is not None}


def _found(found: dict[Key, list[FoundVersion]], matches: Callable[[FoundVersion], bool]) -> Rows:
    rows = {
        key: [one.version.row for one in versions if one.version.row is not None and matches(one)]
        for key, versions in found.items()
    }
    return {key: of_key for key, of_key in rows.items() if of_key}


def _is_valid_at(version: Version, second: int) -> bool:
    return (version.valid_from is None or version.valid_from <= second) and (
        version.valid_to is None or version.valid_to > second
    )


def _is_valid_at_sequence(one: FoundVersion, sequence: int) -> bool:
    start, end = one.start, one.end
    has_started = start.phase == 0 or (start.sequence is not None and start.sequence <= sequence)
    return has_started and (end is None or (end.phase == 1 and end.sequence is not None and end.sequence > sequence))


def _is_valid_at_offset(one: FoundVersion, offset: int) -> bool:
    """Of a source without a sequence in one partition: the messages up to an offset."""
    return one.start.offset <= offset and (one.end is None or one.end.offset > offset)
