"""Histories as Debezium messages. A primary-key update is a delete and an insert, each with a record key of its own.

Half of the tables are of MySQL, half of PostgreSQL with unchanged long values replaced by the placeholder.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from delivery import Log
from histories import KEY_COLUMNS, Row, Step

from encoders.table import DATABASE, Table, event_millis, to_json

UNAVAILABLE = "__debezium_unavailable_value"
OPERATIONS = {"load": "r", "insert": "c", "update": "u", "delete": "d", "truncate": "t"}


def debezium_log(table: Table) -> Log:
    """Debezium messages in the order of the log; microseconds of the source order them across partitions."""
    chance = table.chance("debezium")
    # A change that is sent again has the same position in the source log, by which it is known.
    log = table.log("debezium", "log")
    is_wrapped = chance.random() < 0.5
    for step in table.steps:
        if step.operation in ("truncate", "drop"):
            message = _statement(table, step) if step.operation == "drop" else _message(table, step, "t", None, None)
            for partition in range(log.partitions) if chance.random() < 0.5 else (0,):
                log.append_to(partition, to_json(_wrapped(message, is_wrapped)))
            continue
        for operation, before, after in _halves(step):
            key = _key(table, after or before or {})
            message = _message(table, step, operation, before, after)
            log.append(
                table.route(chance, key), to_json(_wrapped(message, is_wrapped)), to_json(_wrapped(key, is_wrapped))
            )
    return log


def _halves(step: Step) -> Iterator[tuple[str, Row | None, Row | None]]:
    if step.moves:
        yield "d", step.before, None
        yield "c", None, step.after
    else:
        yield OPERATIONS[step.operation], step.before, step.after


def _message(table: Table, step: Step, operation: str, before: Row | None, after: Row | None) -> dict[str, Any]:
    if before is not None and not table.profile.has_before:
        # REPLICA IDENTITY DEFAULT: nothing, or only the key.
        before = None if after is not None else _key(table, before)
    if before is not None and after is not None and table.profile.is_partial:
        after = {
            name: UNAVAILABLE if name in ("name", "note") and before.get(name) == value else value
            for name, value in after.items()
        }
    sent: dict[str, Any] = {"op": operation, "ts_ms": event_millis(step) + 5, "source": _source(table, step)}
    return sent | {"before": before, "after": after, "transaction": None}


def _statement(table: Table, step: Step) -> dict[str, Any]:
    """A message of the schema-change topic."""
    changes = [{"type": "DROP", "id": f'"{DATABASE}"."{table.name}"', "table": None}]
    sent: dict[str, Any] = {"source": _source(table, step), "ts_ms": event_millis(step) + 5}
    return sent | {"databaseName": DATABASE, "ddl": f"DROP TABLE `{table.name}`", "tableChanges": changes}


def _source(table: Table, step: Step) -> dict[str, Any]:
    source = {"version": "3.0.0.Final", "name": "proof", "snapshot": str(step.operation == "load").lower()}
    source |= {"db": DATABASE, "table": table.name, "ts_ms": event_millis(step)}
    source["ts_us"] = event_millis(step) * 1000 + step.serial
    if table.number % 2:
        return source | {"connector": "mysql", "file": "binlog.000001", "pos": 100 * step.number, "row": 0}
    return source | {"connector": "postgresql", "schema": None, "lsn": 100 * step.number, "txId": step.second}


def _key(table: Table, row: Row) -> Row:
    return {name: row[name] for name in KEY_COLUMNS[table.profile.key_kind]}


def _wrapped(message: Row, is_wrapped: bool) -> Row:
    return {"schema": {}, "payload": message} if is_wrapped else message
