"""OMS SharePlex: the columns that changed, the row before as the key, and no names of key columns."""

from __future__ import annotations

from benchmarks.change_log import Change
from benchmarks.families.common import Family, Object, changed, columns, key_texts, second_text, store_sequence

HOURS = 8
"""The source `oms_shareplex` of samples/seeds/cdc_sources.csv is in Asia/Shanghai."""

DETAILS_LENGTH = 150
_OPERATIONS = {"insert": "ins", "update": "upd", "delete": "del"}


def message(change: Change) -> Object:
    """Return a change as a SharePlex message."""
    row = change.row
    image = change.after or change.before
    assert image is not None
    meta = {
        "time": second_text(change.millis // 1000, HOURS, "T"),
        "op": _OPERATIONS[change.operation],
        "posttime": second_text(change.millis // 1000 + 1, HOURS, "T"),
        "idx": "1/1",
        "size": 1,
        "seq": 1,
        "table": f"shop.{row.table.name}",
        "rowid": f"shop.{row.table.name}-{chr(1).join(key_texts(row))}",
        "trans": f"1002_{change.serial // 4}",
        "scn": "null" if change.is_snapshot else store_sequence(change),
    }
    if change.operation == "update":
        return {"data": changed(change, image), "meta": meta, "key": change.before}
    return {"data": image, "meta": meta}


FAMILY = Family(lambda row: columns(row, DETAILS_LENGTH), message, None, b'"op":"ins"')
