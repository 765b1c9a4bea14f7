"""Histories as messages of Maxwell.

Half of the tables have transactions of several rows with `xoffset`, the others one row per transaction, with the
position in the binlog. Half declare their key, the others have it in the record key.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from delivery import Log
from histories import KEY_COLUMNS, Row, Step

from encoders.table import DATABASE, Table, event_millis, event_seconds, to_json

OPERATIONS = {"load": "bootstrap-insert", "insert": "insert", "update": "update", "delete": "delete"}


def maxwell_log(table: Table) -> Log:
    """Messages in the order of the binlog. Nothing but position orders two full loads of one second."""
    chance = table.chance("maxwell")
    log = table.log("maxwell", "position" if table.profile.reloaded else "sequence")
    for step, place in _places(table):
        if step.operation in ("truncate", "drop"):
            for partition in range(log.partitions) if chance.random() < 0.5 else (0,):
                log.append_to(partition, to_json(_statement(table, step)))
            continue
        key = _key(table, step.after or step.before or {})
        record_key = {"database": DATABASE, "table": table.name} | {f"pk.{name}": value for name, value in key.items()}
        log.append(table.route(chance, key), to_json(_message(table, step, place)), to_json(record_key))
    return log


def _places(table: Table) -> Iterator[tuple[Step, Row]]:
    """The steps, with transaction and place in it; the last row of a transaction has `commit` instead of `xoffset`."""
    for second, group in itertools.groupby(table.steps, lambda step: step.second):
        steps = list(group)
        for number, step in enumerate(steps):
            if table.number % 2:
                position = f"binlog.{1 + step.number // 10:06}:{step.number * 100}"
                yield step, {"xid": step.number, "commit": True, "position": position}
            elif number == len(steps) - 1:
                yield step, {"xid": second, "commit": True}
            else:
                yield step, {"xid": second, "xoffset": number}


def _message(table: Table, step: Step, place: Row) -> dict[str, Any]:
    declared = {"primary_key_columns": KEY_COLUMNS[table.profile.key_kind]} if table.number % 4 < 2 else {}
    sent: dict[str, Any] = {"database": DATABASE, "table": table.name, "type": OPERATIONS[step.operation]}
    sent |= {"ts": event_seconds(step)} | ({} if step.operation == "load" else place) | declared
    row = step.after or step.before or {}
    if step.before is None:
        return sent | {"data": row}
    if table.leaves_out(step):
        return sent | _minimal(table, step)
    return sent | {"data": row} | ({} if step.after is None else {"old": step.changed})


def _minimal(table: Table, step: Step) -> dict[str, Any]:
    """With binlog_row_image MINIMAL: the key and the new values; `old` is only sent for a primary-key update."""
    key = _key(table, step.before or {})
    if step.after is None:
        return {"data": key}
    data = {name: step.after[name] for name in (*key, *step.changed)}
    old = {name: value for name, value in step.changed.items() if name in key}
    return {"data": data} | ({"old": old} if old else {})


def _statement(table: Table, step: Step) -> dict[str, Any]:
    sent = {"type": "table-drop", "database": DATABASE, "table": table.name}
    return sent | {"ts": event_millis(step), "sql": f"drop table {table.name}"}


def _key(table: Table, row: Row) -> Row:
    return {name: row[name] for name in KEY_COLUMNS[table.profile.key_kind]}
