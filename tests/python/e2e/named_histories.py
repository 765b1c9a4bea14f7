"""Histories that once came out wrong, message by message: they travel with the proof of the fold."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
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
    versions: list[tuple[str, int, int | None]] = field(default_factory=list)
    """Where given, the images of row_history with the seconds in which they are valid, None while they are."""

    def lines(self, messages: list[dict[str, Any]], offset: int = 0) -> list[str]:
        """Messages as envelope lines."""
        return [
            json.dumps({"topic": self.table, "partition": 0, "offset": offset + number, "value": json.dumps(message)})
            for number, message in enumerate(messages)
        ]


SECOND = 1767225600


def _blob(
    sequence: int,
    operation: str,
    side: str,
    row: dict[str, Any] | None,
    table: str = "a_late_preimage",
    second: int = 0,
) -> dict[str, Any]:
    columns = [{"name": name, "type": "STRING" if name == "name" else "LONG"} for name in ("id", "name", "v")]
    source = {"dbType": "MySQL", "dbName": "named", "tableName": table}
    return {
        "schema": {"dataColumn": columns, "primaryKey": ["id"], "source": source},
        "payload": {
            "op": operation,
            "sequenceId": str(sequence),
            "before": None,
            "after": None,
            side: {"text": "truncate table t"} if row is None else {"dataColumn": row},
            "timestamp": {"eventTime": (SECOND + second) * 1000, "systemTime": SECOND * 1000},
        },
        "version": "0.0.1",
    }


def _envelope(operation: str, written: int, before: dict[str, int] | None, after: dict[str, int]) -> dict[str, Any]:
    source = {"version": "2.7", "db": "named", "table": "a_ghost", "ts_ms": 0, "snapshot": "true"}
    return {"payload": {"op": operation, "ts_ms": written, "before": before, "after": after, "source": source}}


def _canal(table: str, operation: str, *updates: tuple[dict[str, str], dict[str, str] | None]) -> dict[str, Any]:
    """A message of rows, each with its previous values."""
    rows, olds = [row for row, _ in updates], [old for _, old in updates if old is not None]
    times = {"es": SECOND * 1000, "ts": SECOND * 1000}
    told = {"database": "named", "table": table, "type": operation, "isDdl": False, "pkNames": ["id"]}
    return told | times | {"data": rows, "old": olds or None, "mysqlType": dict.fromkeys(rows[0], "text")}


def _debezium(operation: str, source: dict[str, Any], **images: dict[str, Any] | None) -> dict[str, Any]:
    told = {"version": "2.5.0.Final", "connector": "postgresql", "snapshot": "false", "db": "named"}
    return {"op": operation, "ts_ms": 1767225600500, "before": None, "source": told | source, **images}


def _toasted(time: int, operation: str, title: str, body: str, raw: str) -> dict[str, Any]:
    source = {"table": "a_long_value", "ts_ms": 1767225600000 + time, "lsn": 100 + time}
    return _debezium(operation, source, after={"id": 1, "title": title, "body": body, "raw": raw})


def _toggled(position: int, locked: int, was_locked: int | None) -> dict[str, Any]:
    """Changes of one second: only the position in the log distinguishes them."""
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
        [_canal("a_key_of_ours", "INSERT", ({"id": "1", "code": "A", "name": "Ada", "v": "1"}, None))],
        [_canal("a_key_of_ours", "UPDATE", ({"id": "1", "code": "B", "v": "2"}, {"code": "A", "v": "1"}))],
        ['{"code":"B","id":"1","name":"Ada","v":"2"}'],
    ),
    # One message updates a row and then its key: the second preimage belongs to no postimage before it.
    NamedHistory(
        "oms_canal",
        "an_update_and_a_new_key",
        "",
        [_canal("an_update_and_a_new_key", "INSERT", ({"id": "1", "v": "a"}, None))],
        [
            _canal(
                "an_update_and_a_new_key",
                "UPDATE",
                ({"id": "1", "v": "b"}, {"v": "a"}),
                ({"id": "2", "v": "b"}, {"id": "1"}),
            )
        ],
        ['{"id":"2","v":"b"}'],
    ),
    # A truncate after the second version whose time is earlier ends only that version.
    NamedHistory(
        "datahub_blob",
        "a_truncate_of_an_earlier_time",
        "",
        [
            _blob(10, "INSERT", "after", {"id": 1, "v": 1}, "a_truncate_of_an_earlier_time", 100),
            _blob(30, "TRUNCATE", "ddl", None, "a_truncate_of_an_earlier_time", 150),
        ],
        [_blob(20, "UPDATE_AFTER", "after", {"id": 1, "v": 2}, "a_truncate_of_an_earlier_time", 200)],
        [],
        [('{"id":1,"v":1}', 100, 200), ('{"id":1,"v":2}', 200, 200)],
    ),
)
