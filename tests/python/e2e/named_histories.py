"""Histories that once came out wrong, message by message: they travel with the proof of the fold."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class NamedHistory:
    """Messages of one table in a format: those that the first run gets, and those of the last."""

    vendor_format: str
    table: str
    key_columns: str
    first: list[dict[str, Any]]
    last: list[dict[str, Any]]
    rows: list[str]
    """The images that current_rows must show."""

    def lines(self, messages: list[dict[str, Any]], offset: int = 0) -> list[str]:
        """Messages as envelope lines."""
        return [
            json.dumps({"topic": self.table, "partition": 0, "offset": offset + number, "value": json.dumps(message)})
            for number, message in enumerate(messages)
        ]


def _blob(sequence: int, operation: str, side: str, row: dict[str, Any]) -> dict[str, Any]:
    columns = [{"name": name, "type": "STRING" if name == "name" else "LONG"} for name in ("id", "name", "v")]
    source = {"dbType": "MySQL", "dbName": "named", "tableName": "a_late_preimage"}
    return {
        "schema": {"dataColumn": columns, "primaryKey": ["id"], "source": source},
        "payload": {
            "op": operation,
            "sequenceId": str(sequence),
            "before": None,
            "after": None,
            side: {"dataColumn": row},
            "timestamp": {"eventTime": 1767225600000, "systemTime": 1767225600000},
        },
        "version": "0.0.1",
    }


def _envelope(operation: str, written: int, before: dict[str, int] | None, after: dict[str, int]) -> dict[str, Any]:
    source = {"version": "2.7", "db": "named", "table": "a_ghost", "ts_ms": 0, "snapshot": "true"}
    return {"payload": {"op": operation, "ts_ms": written, "before": before, "after": after, "source": source}}


def _canal(operation: str, row: dict[str, str], old: dict[str, str] | None) -> dict[str, Any]:
    times = {"es": 1767225600000, "ts": 1767225600000}
    told = {"database": "named", "table": "a_key_of_ours", "type": operation, "isDdl": False, "pkNames": ["id"]}
    return told | times | {"data": [row], "old": old and [old], "mysqlType": dict.fromkeys(row, "text")}


def _debezium(operation: str, source: dict[str, Any], **images: dict[str, Any] | None) -> dict[str, Any]:
    told = {"version": "2.5.0.Final", "connector": "postgresql", "snapshot": "false", "db": "named"}
    return {"op": operation, "ts_ms": 1767225600500, "before": None, "source": told | source, **images}


def _toasted(time: int, operation: str, title: str, body: str, raw: str) -> dict[str, Any]:
    source = {"table": "a_long_value", "ts_ms": 1767225600000 + time, "lsn": 100 + time}
    return _debezium(operation, source, after={"id": 1, "title": title, "body": body, "raw": raw})


def _toggled(position: int, locked: int, was_locked: int | None) -> dict[str, Any]:
    """Changes of one second: only the position in the log tells them apart."""
    source = {"connector": "mysql", "table": "a_toggle", "ts_ms": 1767225605000, "file": "binlog.000001"}
    before = None if was_locked is None else {"id": 1, "locked": was_locked}
    return _debezium(
        "c" if before is None else "u", source | {"pos": position}, before=before, after={"id": 1, "locked": locked}
    )


_UNAVAILABLE = "__debezium_unavailable_value"
_UNAVAILABLE_BYTES = "X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=="

NAMED_HISTORIES = (
    NamedHistory(
        "debezium",
        "a_long_value",
        "id",
        [
            _toasted(0, "c", "t", "long text", "AAEC"),
            _toasted(1, "u", "t2", _UNAVAILABLE, _UNAVAILABLE_BYTES),
            _toasted(2, "u", "t2", "new text", _UNAVAILABLE_BYTES),
        ],
        [_toasted(3, "u", "t3", _UNAVAILABLE, _UNAVAILABLE_BYTES)],
        ['{"body":"new text","id":1,"raw":"AAEC","title":"t3"}'],
    ),
    NamedHistory(
        "debezium",
        "a_toggle",
        "id",
        [_toggled(100, 0, None), _toggled(200, 1, 0), _toggled(300, 0, 1)],
        # Sent again with the third update.
        [_toggled(400, 1, 0), _toggled(300, 0, 1)],
        ['{"id":1,"locked":1}'],
    ),
    NamedHistory(
        "debezium",
        "a_second_snapshot",
        "id",
        [
            _debezium("r", {"table": "a_second_snapshot", "snapshot": "true", "lsn": 1}, after={"id": 1, "v": 1}),
            _debezium("u", {"table": "a_second_snapshot", "lsn": 2}, after={"id": 1, "v": 9}),
        ],
        [_debezium("r", {"table": "a_second_snapshot", "snapshot": "true", "lsn": 3}, after={"id": 1, "v": 3})],
        ['{"id":1,"v":3}'],
    ),
    NamedHistory(
        "datahub_blob",
        "a_late_preimage",
        "",
        [
            _blob(1, "INSERT", "after", {"id": 1, "name": "Ada", "v": 1}),
            _blob(2, "UPDATE_AFTER", "after", {"id": 1, "v": 2}),
            _blob(3, "UPDATE_AFTER", "after", {"id": 1, "v": 3}),
        ],
        [_blob(2, "UPDATE_BEFOR", "before", {"id": 1, "name": "Ada", "v": 1})],
        ['{"id":1,"name":"Ada","v":3}'],
    ),
    NamedHistory(
        "lindorm_sql",
        "a_ghost",
        "c0",
        [_envelope("u", 300, {"c0": 1}, {"c0": 2})],
        [_envelope("c", 0, None, {"c0": 1})],
        ['{"c0":2}'],
    ),
    NamedHistory(
        "oms_canal",
        "a_key_of_ours",
        "code",
        [_canal("INSERT", {"id": "1", "code": "A", "name": "Ada", "v": "1"}, None)],
        [_canal("UPDATE", {"id": "1", "code": "B", "v": "2"}, {"code": "A", "v": "1"})],
        ['{"code":"B","id":"1","name":"Ada","v":"2"}'],
    ),
)
