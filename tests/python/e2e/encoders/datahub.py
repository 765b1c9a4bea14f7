"""Histories as DataHub messages: Blob and Tuple."""

from __future__ import annotations

from delivery import Log
from histories import KEY_COLUMNS, START_MILLIS, Row, Step

from encoders.table import DATABASE, Table, event_millis, to_json

KEY = ("id", "region")
TYPES = {"id": "LONG", "name": "STRING", "region": "STRING", "amount": "DOUBLE", "total": "LONG", "note": "STRING"}


def blob_log(table: Table) -> Log:
    """DataHub Blob messages; updates as pairs or as one message, by chance."""
    chance = table.chance("blob")
    log = table.log("blob")
    for step in table.steps:
        before, after = step.before, step.after
        route = table.route(chance, (after or before or {}).get("id"))
        if step.operation in ("truncate", "drop"):
            operation = "TRUNCATE" if step.operation == "truncate" else "ERASE"
            log.append(None, _blob(table, operation, step, ddl={"text": f"{step.operation} table t"}))
        elif before is None:
            log.append(route, _blob(table, "INSERT", step, after=after))
        elif after is None:
            log.append(route, _blob(table, "DELETE", step, before=before))
        else:
            # A declared column that is omitted did not change; a primary-key update contains the whole row.
            leaves_out = table.leaves_out(step) and not step.moves
            told = {name: after[name] for name in after if not leaves_out or name in KEY or name in step.changed}
            if chance.random() < 0.3:
                log.append(route, _blob(table, "UPDATE_AFTER", step, before=before, after=told))
            else:
                log.append(table.route(chance, before["id"]), _blob(table, "UPDATE_BEFOR", step, before=before))
                log.append(route, _blob(table, "UPDATE_AFTER", step, after=told))
    return log


def tuple_log(table: Table) -> Log:
    """DataHub Tuple rows: one per image, all values as text."""
    chance = table.chance("tuple")
    log = table.log("tuple")
    operations = {"load": "I", "insert": "I", "update": "U", "delete": "D"}
    for step in table.steps:
        for row, flags in ((step.before, "YN"), (step.after, "NY")):
            if row is None:
                continue
            about = {
                "_sequence_id_": _sequence(table, step),
                "_operation_type_": operations[step.operation],
                "_excute_time_": str(event_millis(step)),
                "_source_table_": table.name,
                "_before_image_": flags[0],
                "_after_image_": flags[1],
            }
            texts = {name: None if value is None else str(value) for name, value in row.items()}
            log.append(table.route(chance, row["id"]), to_json(about | texts))
    return log


def _blob(
    table: Table,
    operation: str,
    step: Step,
    before: Row | None = None,
    after: Row | None = None,
    ddl: dict[str, str] | None = None,
) -> str:
    is_load = step.operation == "load"
    system_millis = event_millis(step) + (step.number if is_load else 0)
    return to_json(
        {
            "schema": {
                "dataColumn": [
                    {"name": name, "type": TYPES.get(name, "LONG")} for name in step.before or step.after or {}
                ],
                "primaryKey": KEY_COLUMNS[table.profile.key_kind],
                "source": {"dbType": "MySQL", "dbName": DATABASE, "tableName": table.name},
            },
            "payload": {
                "op": operation,
                "sequenceId": _sequence(table, step),
                "before": None if before is None else {"dataColumn": before},
                "after": None if after is None else {"dataColumn": after},
                "ddl": ddl,
                "timestamp": {"eventTime": -1 if is_load else event_millis(step), "systemTime": system_millis},
            },
            "version": "0.0.1",
        }
    )


def sequence_of(table: Table, step: Step) -> int:
    """The number of a step."""
    return int(_sequence(table, step))


def _sequence(table: Table, step: Step) -> str:
    """The start of the task and a counter; in some tables numbers that get longer: as text they would turn."""
    if step.operation == "load":
        return "-1"
    if table.profile.sequence == "counter":
        return str(10**18 - 20 + step.number)
    return f"{START_MILLIS}{step.number:06d}"
