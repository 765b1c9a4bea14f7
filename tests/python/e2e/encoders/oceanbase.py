"""Histories as messages of OceanBase's OMS: Default, DefaultExtendColumnType, Dataworks v2 and SharePlex."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from delivery import Log
from histories import KEY_COLUMNS, Row, Step, key_of

from encoders.table import DATABASE, Table, event_millis, event_seconds, to_json

COLUMN_TYPES = {"name": "VARCHAR", "amount": "DECIMAL", "total": "BIGINT", "note": "LONGTEXT", "version": "BIGINT"}


def default_log(table: Table) -> Log:
    """OMS Default records; DDL has no sequence and is sent to every partition."""
    return _default_log(table, "oms_default", lambda image: image)


def default_extend_log(table: Table) -> Log:
    """OMS DefaultExtendColumnType records: types in each image."""
    types = {name: {"schemaType": kind} for name, kind in COLUMN_TYPES.items()}
    return _default_log(table, "oms_default_extend_column_type", lambda image: image | {"__light_type": types})


def dataworks_log(table: Table) -> Log:
    """OMS Dataworks v2.0 messages."""
    chance = table.chance("dataworks")
    log = table.log("oms_dataworks_v2", _order(table))
    operations = {"load": "INSERT", "drop": "ERASE"}
    for step in table.steps:
        is_ddl = step.before is None and step.after is None
        message = {
            "version": "2.0",
            "schema": {
                "source": {"dbType": "OB_MYSQL", "dbName": DATABASE, "table": table.name},
                "column": None if is_ddl else [{"name": "total", "type": "INT64"}],
                "pk": None if is_ddl else KEY_COLUMNS[table.profile.key_kind],
            },
            "payload": {
                "op": operations.get(step.operation, step.operation.upper()),
                "before": None if step.before is None else {"data": step.before},
                "after": None if step.after is None else {"data": step.after},
                "scn": _sequence(table, step) or "null",
                "ddl": {"text": f"{step.operation} table t"} if is_ddl else None,
                "timestamp": {"eventTime": event_millis(step), "systemTime": event_millis(step) + 5},
            },
        }
        row = step.after or step.before or {}
        log.append(_route(table, step, table.route(chance, row.get("id"))), to_json(message))
    return log


def shareplex_log(table: Table) -> Log:
    """SharePlex messages: updates carry the columns that changed, and the row before as the key.

    Where images are partial the key has only the key columns, as Quest writes it; but not where the key changes: what
    did not change would have to come from the old key's row.
    """
    chance = table.chance("shareplex")
    log = table.log("oms_shareplex", _order(table))
    operations = {"load": "ins", "insert": "ins", "update": "upd", "delete": "del", "truncate": "ddl", "drop": "ddl"}
    for step in table.steps:
        row = step.after or step.before or {}
        time = datetime.fromtimestamp(event_seconds(step), tz=UTC).strftime("%Y-%m-%dT%H:%M:%S")
        meta = {
            "time": time,
            "posttime": time,
            "op": operations[step.operation],
            "table": f"{DATABASE}.{table.name}",
            "rowid": f"{DATABASE}.{table.name}-" + "\u0001".join(key_of(row)),
            "scn": _sequence(table, step) or "null",
            "seq": 1,
            "trans": None,
        }
        message: dict[str, Any] = {"meta": meta, "data": row}
        if step.operation in ("truncate", "drop"):
            message["sql"] = {"ddl": f"{step.operation} table t"}
        if step.before is not None and step.after is not None:
            is_partial = table.leaves_out(step)
            columns = KEY_COLUMNS[table.profile.key_kind] if is_partial else tuple(step.before)
            message["key"] = {name: step.before[name] for name in columns}
            message["data"] = {name: step.after[name] for name in step.changed}
        log.append(_route(table, step, table.route(chance, row.get("id"))), to_json(message))
    return log


def _default_log(table: Table, topic: str, image: Callable[[Row], Row]) -> Log:
    chance = table.chance(topic)
    log = table.log(topic, _order(table))
    for step in table.steps:
        is_ddl = step.before is None and step.after is None
        meta: Row = {"dbType": "OB_MYSQL", "db": f"tenant.{DATABASE}", "table_name": table.name}
        if is_ddl:
            record = {
                "prevStruct": None,
                "postStruct": image({"ddl": f"{step.operation} table t"}),
                "allMetaData": meta
                | {"timestamp": str(event_seconds(step)), "storeDataSequence": None}
                | {"ddlType": f"{step.operation.upper()}_TABLE"},
                "recordType": "DDL",
            }
            for partition in range(log.partitions):
                log.append_to(partition, to_json(record))
            continue
        read = _without_unchanged_lob(step) if table.leaves_out(step) else step
        row = step.after or step.before or {}
        is_load = step.operation == "load"
        sequence = None if is_load else _sequence(table, step)
        meta |= {
            "timestamp": None if is_load else str(event_seconds(step)),
            "storeDataSequence": None if sequence is None else int(sequence),
            "record_primary_key": "\u0001".join(KEY_COLUMNS[table.profile.key_kind]),
            "record_primary_value": "\u0001".join(key_of(row)),
        }
        record = {
            "prevStruct": read.before and image(read.before),
            "postStruct": read.after and image(read.after),
            "allMetaData": meta,
            "recordType": "ROW" if is_load else step.operation.upper(),
        }
        log.append(_route(table, step, table.route(chance, row["id"])), to_json(record))
    return log


def _without_unchanged_lob(step: Step) -> Step:
    """The images that OMS reads for an update: an unchanged LOB is null in both."""
    before, after = step.before, step.after
    if before is None or after is None or before["note"] != after["note"]:
        return step
    return Step(step.operation, before | {"note": None}, after | {"note": None}, step.number, step.second, step.serial)


def _sequence(table: Table, step: Step) -> str | None:
    """The number of a change, in the shapes that design rule 1 knows."""
    seconds, serial = event_seconds(step), step.serial
    return {
        "padded": f"{seconds}{serial:05d}",
        "plain": f"{seconds}{serial}",
        "millis": f"{seconds * 1000 + min(serial, 999) // 2}{step.number}",
        "counter": str(99_990 + step.number),
        "none": None,
    }[table.profile.sequence]


def _order(table: Table) -> str:
    return "window" if table.profile.sequence == "none" else "sequence"


def _route(table: Table, step: Step, route: object) -> object:
    """Without numbers only position orders the changes of a second, so they all go to one partition."""
    return f"second {step.second}" if table.profile.sequence == "none" else route
