"""DataHub Blob: each message with its schema; most updates are two messages, one for each image."""

from __future__ import annotations

from benchmarks.change_log import PARTITIONS, Change, Object, Row
from benchmarks.families.common import Family, key_names, key_number

ONE_MESSAGE_OF_TEN = 3
"""Of ten updates, those with both images in one message."""
_TYPES = {"amount": "DOUBLE", "placed_at": "DATE", "note": "STRING"}


def image(row: Row) -> Object:
    """Return the columns of a row: a DOUBLE is sent as text, a time in ms."""
    cents, customer, placed, note = row.values
    line = {"line": row.number % 7} if row.table.is_composite else {}
    amount = f"{cents // 100}.{cents % 100:02d}0000"
    values = {"customer_id": customer, "amount": amount, "placed_at": placed, "note": note}
    return {"order_id": key_number(row)} | line | values


def message(change: Change) -> Object | list[Object]:
    """Return a change as one message, or an update as two; a full load has neither sequence nor time."""
    if change.operation != "update":
        return _message(change, change.operation.upper(), change.before, change.after)
    if change.serial // PARTITIONS % 10 < ONE_MESSAGE_OF_TEN:
        return _message(change, "UPDATE_AFTER", change.before, change.after)
    return [_message(change, "UPDATE_BEFOR", change.before, None), _message(change, "UPDATE_AFTER", None, change.after)]


def heartbeat(millis: int) -> Object:
    """Return a heartbeat."""
    times = {"eventTime": millis, "systemTime": millis + 5, "checkpointTime": millis}
    return {"schema": {}, "payload": {"op": "MHEARTBEAT", "timestamp": times}, "version": "0.0.1"}


def _message(change: Change, operation: str, before: Object | None, after: Object | None) -> Object:
    row, millis = change.row, change.millis
    names = before or after or {}
    event = -1 if change.is_snapshot else millis
    return {
        "schema": {
            "dataColumn": [{"name": name, "type": _TYPES.get(name, "LONG")} for name in names],
            "primaryKey": key_names(row),
            "source": {"dbType": "MySQL", "dbName": "shop", "tableName": row.table.name},
        },
        "payload": {
            "op": operation,
            "sequenceId": "-1" if change.is_snapshot else f"{millis}{change.serial % 1_000_000:06d}",
            "before": before and {"dataColumn": before},
            "after": after and {"dataColumn": after},
            "ddl": None,
            "timestamp": {"eventTime": event, "systemTime": millis + 120, "checkpointTime": event},
        },
        "version": "0.0.1",
    }


FAMILY = Family(image, message, heartbeat, b'"op":"INSERT"')
