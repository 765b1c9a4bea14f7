"""OMS Dataworks v2.0: both images in one message, after the columns of the table."""

from __future__ import annotations

from benchmarks.change_log import Change, Object
from benchmarks.families.common import Family, column_types, columns, key_names

FIRST_SCN = 700_000_000
DETAILS_LENGTH = 0


def message(change: Change) -> Object:
    """Return a change as a Dataworks v2 message; a full load has no number."""
    types = [{"name": name, "type": kind.upper()} for name, kind, _ in column_types(change.row)]
    millis = change.millis // 1000 * 1000
    return {
        "schema": {
            "source": {
                "dbType": "OB_MYSQL",
                "dbVersion": "4.2.1",
                "dbName": "tenant.shop",
                "schema": None,
                "table": change.row.table.name,
            },
            "column": types,
            "pk": key_names(change.row),
        },
        "payload": {
            "before": None if change.before is None else {"data": change.before},
            "after": None if change.after is None else {"data": change.after},
            "op": change.operation.upper(),
            "timestamp": {"eventTime": millis, "systemTime": change.millis + 120, "checkpointTime": millis // 1000},
            "ddl": None,
            "scn": "null" if change.is_snapshot else str(FIRST_SCN + change.serial),
        },
        "version": "2.0",
        "extend": {},
    }


def heartbeat(millis: int) -> Object:
    """Return a heartbeat."""
    times = {"eventTime": millis, "systemTime": millis + 5, "checkpointTime": millis // 1000}
    return {"payload": {"op": "HEARTBEAT", "timestamp": times}, "version": "2.0"}


FAMILY = Family(lambda row: columns(row, DETAILS_LENGTH), message, heartbeat, b'"op":"INSERT"')
