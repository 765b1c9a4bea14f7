"""OMS Canal: the row after the change, its previous values, and the types of its columns; no sequence."""

from __future__ import annotations

from benchmarks.change_log import Change, Object
from benchmarks.families.common import Family, changed, column_types, columns, key_names

DETAILS_LENGTH = 40


def message(change: Change) -> Object:
    """Return a change as a Canal message of one row."""
    row = change.row
    types = column_types(row)
    return {
        "data": [change.before if change.operation == "delete" else change.after],
        "database": "shop",
        "es": change.millis // 1000 * 1000,
        "isDdl": False,
        "mysqlType": {name: kind for name, kind, _ in types},
        "old": [changed(change, change.before)] if change.operation == "update" and change.before else None,
        "pkNames": key_names(row),
        "sql": "",
        "sqlType": {name: number for name, _, number in types},
        "table": row.table.name,
        "ts": change.millis + 120,
        "type": "ROW" if change.is_snapshot else change.operation.upper(),
    }


def heartbeat(millis: int) -> Object:
    """Return a heartbeat."""
    return {"data": None, "es": millis, "isDdl": False, "old": None, "ts": millis, "type": "MHEARTBEAT"}


FAMILY = Family(lambda row: columns(row, DETAILS_LENGTH), message, heartbeat, b'"type":"INSERT"')
