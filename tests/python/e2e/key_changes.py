"""Histories in which keys change and updates tell a part of the row only: as messages, and the rows they end in."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from datetime import UTC, datetime

from histories import START_MILLIS, Log, Row, Step

COLUMNS = ("id", "name", "amount", "note")
DATABASE = "history"


def draw_key_changes(seed: int, steps: int, truncates: bool) -> list[Step]:
    """Draw a history of one table with few keys, so that rows move on and old keys are used again."""
    chance = random.Random(seed)
    live: dict[int, Row] = {}
    history: list[Step] = []
    for number in range(1, steps + 1):
        kind = chance.random()
        free = [key for key in range(1, 12) if key not in live]
        if truncates and kind < 0.03:
            history.append(Step("truncate", number))
            live.clear()
        elif not live or (free and kind < 0.2):
            row: Row = {"id": chance.choice(free), "name": f"name {number}", "amount": number, "note": f"note {number}"}
            history.append(Step("insert", number, None, row))
            live[row["id"]] = row
        else:
            before = live.pop(chance.choice(sorted(live)))
            if kind < 0.3:
                history.append(Step("delete", number, before))
                continue
            moved = bool(free) and kind > 0.5
            changed: Row = {"id": chance.choice(free)} if moved else {"amount": number}
            if chance.random() < 0.3:
                changed["name"] = f"name {number}"
            if chance.random() < 0.2:
                changed["note"] = None if before["note"] else f"note {number}"
            after = before | changed
            history.append(Step("update", number, before, after))
            live[after["id"]] = after
    return history


def versions(history: list[Step]) -> list[Row]:
    """Every row that a change left behind."""
    return [step.after for step in history if step.after is not None]


def shareplex_log(history: list[Step], table: str, partitions: int) -> Log:
    """The history as SharePlex writes it whose `key` is the key columns alone; in several partitions with a number."""
    log = Log(f"keys_{table}", partitions, has_sequence=partitions > 1)
    operations = {"insert": "ins", "update": "upd", "delete": "del", "truncate": "ddl"}
    for step in history:
        meta = {"op": operations[step.operation], "table": f"{DATABASE}.{table}"}
        if log.has_sequence:
            meta |= {"time": _time(step).strftime("%Y-%m-%dT%H:%M:%S"), "scn": f"{_time(step).timestamp():.0f}1"}
        message: Row = {"meta": meta, "data": step.after or step.before or {}}
        if step.operation == "truncate":
            message["sql"] = {"ddl": f"truncate table {table}"}
        if step.before is not None and step.after is not None:
            message |= {"key": {"id": step.before["id"]}, "data": _changed(step)}
        log.append((step.after or step.before or {}).get("id"), json.dumps(message))
    return log


def canal_log(history: list[Step], table: str) -> Log:
    """The history as Canal writes it of a source that logs no LOB which an update leaves alone."""
    log = Log(f"keys_{table}", partitions=1, has_sequence=False)
    for step in history:
        row, old = step.after or step.before, None
        if step.before is not None and step.after is not None:
            old = {name: step.before[name] for name in _changed(step)}
            row = {name: step.after[name] for name in COLUMNS if name != "note" or name in old}
        message = {
            "type": step.operation.upper(),
            "isDdl": row is None,
            "sql": f"truncate table {table}" if row is None else "",
            "data": row and [row],
            "old": old and [old],
            "pkNames": row and ["id"],
            "mysqlType": dict.fromkeys(COLUMNS, "varchar"),
            "database": DATABASE,
            "table": table,
            "es": START_MILLIS + step.number * 1000,
        }
        log.append((row or {}).get("id"), json.dumps(message))
    return log


def oms_default_extend_log(history: list[Step], table: str) -> Log:
    """The history as OMS DefaultExtendColumnType: both rows whole, but a LOB that did not change is null in both."""
    log = Log(f"keys_{table}")
    for step in history:
        before, after = step.before, step.after
        if before is not None and after is not None and before["note"] == after["note"]:
            before, after = before | {"note": None}, after | {"note": None}
        if step.operation == "truncate":
            after = {"ddl": f"truncate table {table}"}
        seconds = f"{_time(step).timestamp():.0f}"
        message = {
            "recordType": "DDL" if step.operation == "truncate" else step.operation.upper(),
            "prevStruct": before and before | {"__light_type": _TYPES},
            "postStruct": after and after | {"__light_type": _TYPES},
            "allMetaData": {
                "record_primary_key": None if step.operation == "truncate" else "id",
                "dbType": "OB_MYSQL",
                "storeDataSequence": None if step.operation == "truncate" else int(f"{seconds}1"),
                "table_name": table,
                "db": f"acme.{DATABASE}",
                "timestamp": seconds,
            },
        }
        log.append((step.after or step.before or {}).get("id"), json.dumps(message))
    return log


# What each is called, its format, and how it tells a history.
ENCODERS: dict[str, tuple[str, Callable[[list[Step], str], Log]]] = {
    "quest": ("oms_shareplex", lambda history, table: shareplex_log(history, table, 1)),
    "shareplex": ("oms_shareplex", lambda history, table: shareplex_log(history, table, 3)),
    "canal": ("oms_canal", canal_log),
    "extend": ("oms_default_extend_column_type", oms_default_extend_log),
}
_TYPES = {"id": {"schemaType": "BIGINT"}, "note": {"schemaType": "TEXT"}}


def _changed(step: Step) -> Row:
    assert step.before is not None
    assert step.after is not None
    return {name: value for name, value in step.after.items() if step.before[name] != value}


def _time(step: Step) -> datetime:
    return datetime.fromtimestamp(START_MILLIS // 1000 + step.number, UTC)
