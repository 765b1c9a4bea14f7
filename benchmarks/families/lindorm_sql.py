"""Lindorm SQL: Debezium's envelope without a schema; the record key names the row."""

from __future__ import annotations

import orjson

from benchmarks.change_log import Change, Object
from benchmarks.families.common import Family, columns, key_names

DETAILS_LENGTH = 80
_OPERATIONS = {"insert": "c", "update": "u", "delete": "d"}


def message(change: Change) -> Object:
    """Return a change as a Lindorm message."""
    source = {
        "version": "v1.0",
        "db": "shop",
        "namespace": "default",
        "table": change.row.table.name,
        "ts_ms": change.millis,
    }
    return {
        "schema": {},
        "payload": {
            "before": change.before,
            "after": change.after,
            "source": source,
            "op": _OPERATIONS[change.operation],
            "ts_ms": change.millis + 120,
        },
    }


def record_key(change: Change) -> str:
    """Return the key columns as JSON."""
    image = change.after or change.before
    assert image is not None
    return orjson.dumps({name: image[name] for name in key_names(change.row)}).decode()


FAMILY = Family(lambda row: columns(row, DETAILS_LENGTH), message, None, b'"op":"c"', record_key)
