"""Histories as Canal messages, and what they must become: their order is not always that of the source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from delivery import Log
from histories import KEY_COLUMNS, START_MILLIS, Key, Row, Step, Version, key_of

from encoders.table import DATABASE, Table, event_millis, to_json

JITTER = 120
"""How many seconds times go back."""


@dataclass(frozen=True)
class Change:
    """A change of a key with its position; row is None for a removal. Loaded rows have phase 0."""

    phase: int
    second: int
    partition: int
    offset: int
    index: int
    row: Row | None
    is_whole: bool = True

    @property
    def position(self) -> tuple[int, int, int, int]:
        return self.phase, self.partition, self.offset, self.index


def canal_log(table: Table) -> Log:
    """Canal messages; position and the second of the change are all their order."""
    return written(table)[0]


def canal_versions(table: Table) -> dict[Key, list[Version]]:
    """What the messages must become, by the rules of order for sources that give none."""
    return canal_versions_up_to(table, None)


def canal_versions_up_to(table: Table, offset: int | None) -> dict[Key, list[Version]]:
    """What the messages of each partition must become up to an offset, None for all."""
    _, changes, truncates = written(table)
    changes = {key: [one for one in of_key if _is_read(one, offset)] for key, of_key in changes.items()}
    truncates = [one for one in truncates if _is_read(one, offset)]
    return {key: _versions(of_key, truncates) for key, of_key in changes.items() if of_key}


def _is_read(change: Change, offset: int | None) -> bool:
    return offset is None or change.offset <= offset


def _versions(changes: list[Change], truncates: list[Change]) -> list[Version]:
    """Position orders changes in one partition; the time goes before it if they lie in several."""
    spans_partitions = len({change.partition for change in changes}) > 1
    ordered = sorted(changes, key=lambda c: (c.phase, c.second if spans_partitions else 0, *c.position))
    versions = []
    row: Row = {}
    start = ordered[0].second
    for place, change in enumerate(ordered):
        row = {} if change.is_whole else row
        row = row | (change.row or {})
        start = max(start, change.second)
        following = ordered[place + 1] if place + 1 < len(ordered) else None
        ending = _first_truncate(change, following, truncates) or following
        end = ending and max(start, ending.second)
        versions.append(Version(change.row and row, start, end, ending is None and change.row is not None))
        # Time never goes back: the next version begins when this one has ended.
        start = start if end is None else end
    return versions


def _first_truncate(change: Change, following: Change | None, truncates: list[Change]) -> Change | None:
    """The first truncate between a change and the next: by position in its partition, by time among the others."""
    between = [one for one in truncates if _is_emptied(change, one) and not (following and _is_emptied(following, one))]
    own = [one for one in between if one.partition == change.partition]
    others = [one for one in between if one.partition != change.partition]
    firsts = [min(own, key=lambda one: one.position)] if own else []
    firsts += [min(others, key=lambda one: one.second)] if others else []
    return min(firsts, key=lambda one: one.second, default=None)


def _is_emptied(change: Change, truncate: Change) -> bool:
    if change.partition == truncate.partition or change.phase < truncate.phase:
        return change.position <= truncate.position
    return change.second < truncate.second


def written(table: Table) -> tuple[Log, dict[Key, list[Change]], list[Change]]:
    """The log, and the changes of each key and the truncates in it."""
    chance = table.chance("canal")
    log = table.log("oms_canal", "position")
    changes: dict[Key, list[Change]] = {}
    truncates = []
    profile = table.profile
    is_partial = has_partial_images(table)
    for steps in _statements(table, is_partial):
        step = steps[0]
        back = JITTER if step.operation == "load" else chance.randrange(JITTER)
        second = step.second - (back if profile.is_backwards else 0)
        message = _message(table, steps, second, is_partial)
        if step.operation in ("truncate", "drop"):
            for partition in range(log.partitions) if chance.random() < 0.5 else (0,):
                sent = log.append_to(partition, to_json(message))
                truncates.append(Change(1, second, sent.partition, sent.offset, 0, None))
            continue
        route = table.route(chance, (step.after or step.before or {})["id"])
        is_late = profile.is_repartitioned and step.number > 0.5 * len(table.steps)
        sent = log.append(f"late {route}" if is_late else route, to_json(message))
        phase = 0 if step.operation == "load" else 1
        for place, one in enumerate(steps):
            for key, index, row, is_whole in _effects(one, is_partial):
                index += place * (2 if one.operation == "update" else 1)
                change = Change(phase, second, sent.partition, sent.offset, index, row, is_whole)
                changes.setdefault(key, []).append(change)
    return log, changes, truncates


def _statements(table: Table, is_partial: bool) -> Iterator[list[Step]]:
    """The steps by message: neighbours of one second and kind, which may change a row, and its key, several times."""
    steps: list[Step] = []
    for step in table.steps:
        alike = steps and (steps[0].operation, steps[0].second) == (step.operation, step.second)
        has_rows = step.before is not None or step.after is not None
        if not alike or not has_rows or is_partial or len(steps) == table.profile.per_message:
            if steps:
                yield steps
            steps = []
        steps.append(step)
    yield steps


def _effects(step: Step, is_partial: bool) -> list[tuple[Key, int, Row | None, bool]]:
    """What a step does: key, place in the message, row (None if the key is gone), whether that is all of it."""
    before, after = step.before, step.after
    if before is not None and (after is None or step.moves):
        removal: list[tuple[Key, int, Row | None, bool]] = [(key_of(before), 0, None, True)]
        return removal if after is None else [*removal, (key_of(after), 1, after, True)]
    assert after is not None
    if before is None:
        return [(key_of(after), 0, after, True)]
    row = {name: after[name] for name in step.changed} if is_partial else after
    return [(key_of(after), 1, row, not is_partial)]


def _message(table: Table, steps: list[Step], second: int, is_partial: bool) -> dict[str, Any]:
    step = steps[0]
    row = step.after or step.before
    is_ddl = row is None
    is_update = step.before is not None and step.after is not None
    data = [_data(table, one, is_partial) for one in steps]
    # Canal names the types of the columns that it has, other writers those of all columns.
    typed = data[0] if is_update and names_types_of_the_row(table) else row
    return {
        "data": None if is_ddl else data,
        "old": [one.changed for one in steps] if is_update else None,
        "pkNames": None if is_ddl else KEY_COLUMNS[table.profile.key_kind],
        "mysqlType": None if typed is None else dict.fromkeys(typed, "varchar(255)"),
        "database": DATABASE,
        "table": table.name,
        "es": START_MILLIS + second * 1000,
        "ts": event_millis(step) + 5,
        "sql": f"{step.operation} table t" if is_ddl else "",
        "isDdl": is_ddl,
        "type": {"load": "ROW", "drop": "ERASE"}.get(step.operation, step.operation.upper()),
    }


def has_partial_images(table: Table) -> bool:
    """Whether updates leave columns out: these are what the source had before, so positions have to be in its order."""
    return table.profile.is_partial and table.profile.per_second == 1 and not table.profile.is_backwards


def names_types_of_the_row(table: Table) -> bool:
    """Whether types are those of the columns in the row: with NOBLOB `lob_columns` then has to name the texts."""
    return has_partial_images(table) and table.chance("types").random() < 0.5


def _data(table: Table, step: Step, is_partial: bool) -> Row:
    row = step.after or step.before or {}
    if step.before is None or not is_partial or not table.leaves_out(step):
        return row
    # MINIMAL: the key, and what changed. NOBLOB: all but texts that did not change.
    is_minimal = table.chance("images").random() < 0.5
    names = {*KEY_COLUMNS[table.profile.key_kind]} if is_minimal else row.keys() - {"note"}
    names |= step.changed.keys() if step.after is not None else set()
    return {name: value for name, value in row.items() if name in names}
