"""One logical history as the messages of each format."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from databus_messages import databus_binary_log, databus_json_log
from histories import START_MILLIS, Log, Row, Step

DATABASE = "history"


def blob_log(history: list[Step], table: str, seed: int) -> Log:
    """The history as DataHub Blob messages; updates as pairs or as one message, by chance."""
    chance = random.Random(seed)
    log = Log("history_blob")
    for step in history:
        if step.operation == "truncate":
            log.append(None, _blob(table, "TRUNCATE", step, ddl={"text": f"truncate table {table}"}))
        elif step.operation == "insert":
            log.append(step.after["id"], _blob(table, "INSERT", step, after=step.after))
        elif step.operation == "delete":
            log.append(step.before["id"], _blob(table, "DELETE", step, before=step.before))
        elif chance.random() < 0.3:
            log.append(step.after["id"], _blob(table, "UPDATE_AFTER", step, before=step.before, after=step.after))
        else:
            log.append(step.before["id"], _blob(table, "UPDATE_BEFOR", step, before=step.before))
            log.append(step.after["id"], _blob(table, "UPDATE_AFTER", step, after=step.after))
    return log


def tuple_log(history: list[Step], table: str, seed: int) -> Log:
    """The history as DataHub Tuple rows."""
    log = Log("history_tuple")
    for step in history:
        operation = {"insert": "I", "update": "U", "delete": "D"}[step.operation]
        for row, flags in ((step.before, "YN"), (step.after, "NY")):
            if row is not None:
                log.append(row["id"], json.dumps(_tuple(table, operation, step, flags) | {c: str(row[c]) for c in row}))
    return log


def oms_default_log(history: list[Step], table: str, seed: int) -> Log:
    """The history as OMS Default records; DDL has no sequence and stands in every partition."""
    return _default_log("history_oms_default", history, table, dict)


def oms_default_extend_log(history: list[Step], table: str, seed: int) -> Log:
    """The history as OMS DefaultExtendColumnType records: types in each image, an unchanged LOB null in both."""
    types = {"id": {"schemaType": "BIGINT"}, "name": {"schemaType": "TEXT"}, "amount": {"schemaType": "INT64"}}
    read = [_without_unchanged_name(step) for step in history]
    return _default_log("history_oms_default_extend", read, table, lambda image: image | {"__light_type": types})


def oms_dataworks_log(history: list[Step], table: str, seed: int) -> Log:
    """The history as OMS Dataworks v2.0 messages."""
    log = Log("history_oms_dataworks_v2")
    for step in history:
        is_ddl = step.operation == "truncate"
        message = {
            "version": "2.0",
            "schema": {
                "source": {"dbType": "OB_MYSQL", "dbName": DATABASE, "table": table},
                "column": None if is_ddl else [{"name": "id", "type": "INT64"}],
                "pk": None if is_ddl else ["id"],
            },
            "payload": {
                "op": step.operation.upper(),
                "before": None if step.before is None else {"data": step.before},
                "after": None if step.after is None else {"data": step.after},
                "scn": _store_sequence(step),
                "ddl": {"text": f"truncate table {table}"} if is_ddl else None,
                "timestamp": {"eventTime": _millis(step), "systemTime": _millis(step) + 5},
            },
        }
        log.append((step.after or step.before or {}).get("id"), json.dumps(message))
    return log


def oms_canal_log(history: list[Step], table: str, seed: int) -> Log:
    """The history as Canal messages; position and the second of the change are all their order."""
    log = Log("history_oms_canal", has_sequence=False)
    for step in history:
        is_ddl = step.operation == "truncate"
        row = step.after or step.before
        changed = None
        if step.before is not None and step.after is not None:
            changed = {name: value for name, value in step.before.items() if step.after[name] != value}
        message = {
            "data": None if is_ddl else [row],
            "old": None if changed is None else [changed],
            "pkNames": None if is_ddl else ["id"],
            "database": DATABASE,
            "table": table,
            "es": _millis(step),
            "ts": _millis(step) + 5,
            "sql": f"truncate table {table}" if is_ddl else "",
            "isDdl": is_ddl,
            "type": step.operation.upper(),
        }
        log.append((row or {}).get("id"), json.dumps(message))
    return log


def oms_shareplex_log(history: list[Step], table: str, seed: int) -> Log:
    """The history as OMS SharePlex messages: updates carry the columns that changed, and the row before as the key."""
    log = Log("history_oms_shareplex")
    operations = {"insert": "ins", "update": "upd", "delete": "del", "truncate": "ddl"}
    for step in history:
        row = step.after or step.before
        meta = {
            "time": _zoneless(step),
            "posttime": _zoneless(step),
            "op": operations[step.operation],
            "table": f"{DATABASE}.{table}",
            "rowid": f"{DATABASE}.{table}-{(row or {}).get('id', '')}",
            "scn": _store_sequence(step),
            "seq": 1,
            "trans": None,
        }
        message: dict[str, Any] = {"meta": meta, "data": row or {}}
        if step.operation == "truncate":
            message["sql"] = {"ddl": f"truncate table {table}"}
        if step.before is not None and step.after is not None:
            message["key"] = step.before
            message["data"] = {name: value for name, value in step.after.items() if step.before[name] != value}
        log.append((row or {}).get("id"), json.dumps(message))
    return log


def lindorm_sql_log(history: list[Step], table: str, seed: int) -> Log:
    """The history as Lindorm SQL messages. A primary key cannot change there: the old row goes, a new one comes."""
    return _lindorm_log("history_lindorm_sql", history, table, seed, lambda row: row)


def lindorm_hbase_log(history: list[Step], table: str, seed: int) -> Log:
    """The history as Lindorm HBase messages: ROW and values in Base64, columns with their family in front."""
    return _lindorm_log("history_lindorm_hbase", history, table, seed, _hbase_row)


def plain_row(image: Row) -> Row:
    """The row of a history that a row image stands for."""
    if "ROW" not in image:
        return image
    decoded = {name: base64.b64decode(value).decode() for name, value in image.items()}
    return {"id": decoded["ROW"], "name": decoded["f_name"], "amount": decoded["f_amount"]}


FORMATS: dict[str, Callable[[list[Step], str, int], Log]] = {
    "datahub_blob": blob_log,
    "datahub_tuple": tuple_log,
    "oms_default": oms_default_log,
    "oms_default_extend_column_type": oms_default_extend_log,
    "oms_dataworks_v2": oms_dataworks_log,
    "oms_canal": oms_canal_log,
    "oms_shareplex": oms_shareplex_log,
    "lindorm_sql": lindorm_sql_log,
    "lindorm_hbase": lindorm_hbase_log,
    "databus_binary": databus_binary_log,
    "databus_json": databus_json_log,
}
NO_TRUNCATES = {"datahub_tuple", "databus_binary", "databus_json"}
KEYS_IN_CONFIGURATION = {"datahub_tuple", "oms_shareplex", "lindorm_sql"}


def _millis(step: Step) -> int:
    return START_MILLIS + step.number * 1000


def _sequence(step: Step) -> str:
    return f"{START_MILLIS}{step.number:06d}"


def _blob(
    table: str,
    operation: str,
    step: Step,
    before: Row | None = None,
    after: Row | None = None,
    ddl: dict[str, str] | None = None,
) -> str:
    return json.dumps(
        {
            "schema": {
                "dataColumn": [
                    {"name": "id", "type": "LONG"},
                    {"name": "name", "type": "STRING"},
                    {"name": "amount", "type": "LONG"},
                ],
                "primaryKey": ["id"],
                "source": {"dbType": "MySQL", "dbName": "history", "tableName": table},
            },
            "payload": {
                "op": operation,
                "sequenceId": _sequence(step),
                "before": None if before is None else {"dataColumn": before},
                "after": None if after is None else {"dataColumn": after},
                "ddl": ddl,
                "timestamp": {
                    "eventTime": START_MILLIS + step.number * 1000,
                    "systemTime": START_MILLIS + step.number * 1000,
                },
            },
            "version": "0.0.1",
        }
    )


def _default_log(topic: str, history: list[Step], table: str, image: Callable[[Row], Row]) -> Log:
    log = Log(topic)
    for step in history:
        meta: Row = {"dbType": "OB_MYSQL", "db": f"tenant.{DATABASE}", "table_name": table, "timestamp": _seconds(step)}
        if step.operation == "truncate":
            record = {
                "prevStruct": None,
                "postStruct": image({"ddl": f"truncate table {table}"}),
                "allMetaData": meta | {"storeDataSequence": None, "ddlType": "TRUNCATE_TABLE"},
                "recordType": "DDL",
            }
            for partition_key in ("1", "2", "3"):
                log.append(partition_key, json.dumps(record))
            continue
        key = (step.after or step.before or {})["id"]
        meta |= {"storeDataSequence": int(_store_sequence(step)), "record_primary_key": "id"}
        record = {
            "prevStruct": step.before and image(step.before),
            "postStruct": step.after and image(step.after),
            "allMetaData": meta | {"record_primary_value": str(key)},
            "recordType": step.operation.upper(),
        }
        log.append(key, json.dumps(record))
    return log


def _lindorm_log(topic: str, history: list[Step], table: str, seed: int, image: Callable[[Row], Row]) -> Log:
    chance = random.Random(seed)
    log = Log(topic)
    for step in history:
        before, after = step.before, step.after
        if before is not None and after is not None and before["id"] != after["id"]:
            halves = [("d", before, None), ("c", None, after)]
        else:
            operation = {"insert": "c", "update": "u", "delete": "d", "truncate": "t"}[step.operation]
            halves = [(operation, before, after)]
        for operation, old, new in halves:
            source = {"version": "v1.0", "db": DATABASE, "namespace": "default", "table": table, "ts_ms": _millis(step)}
            payload: Row = {"op": operation, "ts_ms": _millis(step) + chance.randrange(5000), "source": source}
            payload |= {"before": old and image(old), "after": new and image(new)}
            # Delivery has no order: any partition may carry any change of a row.
            log.append(chance.random(), json.dumps({"schema": {}, "payload": payload}))
    return log


def _hbase_row(row: Row) -> Row:
    texts = {"ROW": str(row["id"]), "f_name": row["name"], "f_amount": str(row["amount"])}
    return {name: base64.b64encode(text.encode()).decode() for name, text in texts.items()}


def _without_unchanged_name(step: Step) -> Step:
    before, after = step.before, step.after
    # Not where the key changes too: the value would have to come from another row.
    if before is None or after is None or (before["id"], before["name"]) != (after["id"], after["name"]):
        return step
    return Step(step.operation, step.number, before | {"name": None}, after | {"name": None})


def _tuple(table: str, operation: str, step: Step, flags: str) -> Row:
    return {
        "_sequence_id_": _sequence(step),
        "_operation_type_": operation,
        "_excute_time_": str(_millis(step)),
        "_source_table_": table,
        "_before_image_": flags[0],
        "_after_image_": flags[1],
    }


def _seconds(step: Step) -> str:
    return str(_millis(step) // 1000)


def _store_sequence(step: Step) -> str:
    return f"{_seconds(step)}{step.number % 100:05d}"


def _zoneless(step: Step) -> str:
    return datetime.fromtimestamp(_millis(step) / 1000, tz=UTC).strftime("%Y-%m-%dT%H:%M:%S")
