"""OMS Default: both images in one message, with key and sequence."""

from __future__ import annotations

from benchmarks.change_log import Change, Object
from benchmarks.families.common import Family, columns, key_names, key_texts, store_sequence

DETAILS_LENGTH = 0


def message(change: Change) -> Object:
    """Return a change as an OMS Default record; a full load has neither sequence nor time."""
    row = change.row
    is_snapshot = change.is_snapshot
    return {
        "prevStruct": change.before,
        "postStruct": change.after,
        "allMetaData": {
            "checkpoint": "\u0001".join(key_texts(row)) if is_snapshot else str(change.millis // 1000),
            "record_primary_key": "\u0001".join(key_names(row)),
            "record_primary_value": "\u0001".join(key_texts(row)),
            "source_identity": "OB_MYSQL_ob1a2b3c4d5e_1-1",
            "dbType": "OB_MYSQL",
            "storeDataSequence": None if is_snapshot else int(store_sequence(change)),
            "table_name": row.table.name,
            "db": "tenant.shop",
            "timestamp": None if is_snapshot else str(change.millis // 1000),
            "uniqueId": f"{change.serial:x}",
            "transId": f"1002_{change.serial // 4}",
            "clusterId": "1",
        },
        "recordType": "ROW" if is_snapshot else change.operation.upper(),
    }


def heartbeat(millis: int) -> Object:
    """Return a heartbeat."""
    seconds = str(millis // 1000)
    meta = {"checkpoint": seconds, "dbType": "OB_MYSQL", "db": None, "table_name": None, "timestamp": seconds}
    return {"prevStruct": None, "postStruct": None, "allMetaData": meta, "recordType": "HEARTBEAT"}


FAMILY = Family(lambda row: columns(row, DETAILS_LENGTH), message, heartbeat, b'"recordType":"INSERT"')
