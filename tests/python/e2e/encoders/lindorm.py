"""Histories as Lindorm messages. A primary key cannot change there: the old row goes, a new one comes.

Other sources of such messages send a primary-key update as one message: half of the tables do.
"""

from __future__ import annotations

import base64
import json
import random
from collections import Counter
from collections.abc import Callable
from decimal import Decimal

from delivery import Log
from histories import KEY_COLUMNS, Key, Row, Step, key_of

from encoders.table import DATABASE, Table, as_text, event_millis, to_json

COLUMNS = ("name", "amount", "total", "note", "version")
HBASE_COLUMNS = {"id": "ROW"} | {name: f"f_{name}" for name in COLUMNS}


def sql_log(table: Table) -> Log:
    """Lindorm SQL messages."""
    return _log(table, "lindorm_sql", lambda row: {name: row[name] for name in row if row[name] is not None})


def hbase_log(table: Table) -> Log:
    """Lindorm HBase messages: ROW and values in Base64, columns with their family in front."""
    return _log(table, "lindorm_hbase", _hbase_image)


def sql_row(image: Row) -> Row:
    """The row of an image: a column that is null has none."""
    return dict.fromkeys(COLUMNS) | as_text(image)


def hbase_row(image: Row) -> Row:
    """The same from Base64."""
    texts = {name: base64.b64decode(value).decode() for name, value in image.items()}
    key = texts.pop("ROW").split("|")
    named = dict(zip(("id", "region"), key, strict=False))
    return dict.fromkeys(COLUMNS) | named | {name.removeprefix("f_"): text for name, text in texts.items()}


def hbase_key(key: Row) -> Key:
    """The key of a row from its ROW."""
    return tuple(base64.b64decode(key["ROW"]).decode().split("|"))


def _log(table: Table, topic: str, image: Callable[[Row], Row]) -> Log:
    chance = table.chance(topic)
    log = table.log(topic)
    log.resend = _written_later
    has_before = table.profile.has_before
    crowds = Counter(step.second for step in table.steps)
    of_circles = {step.second for step in table.steps if step.moves or step.operation != "update"}
    moves_at_once = has_before and chance.random() < 0.5
    for step in table.steps:
        for operation, before, after in _halves(step, moves_at_once):
            # With before images, their chain determines the order inside a millisecond. Without them, or if rows are
            # inserted or deleted and the chain may be a circle, the time of writing does.
            is_told = has_before and step.second not in of_circles
            delay = bool(before or after) * (chance.randrange(1, 5000) if is_told else step.serial)
            # Two deletes of a row in one millisecond would be the same message if they did not contain the row.
            sends_before = has_before or (operation == "d" and crowds[step.second] > 1)
            source = {"version": "v1.0", "db": DATABASE, "namespace": "default", "table": table.name}
            source["ts_ms"] = event_millis(step)
            payload: Row = {"op": operation, "ts_ms": event_millis(step) + delay, "source": source}
            payload |= {"before": (before and sends_before and image(before)) or None, "after": after and image(after)}
            key = None if has_before else _record_key(table, image, after or before)
            # Delivery has no order: any partition may carry any change of a row.
            log.append(chance.random(), to_json({"schema": {}, "payload": payload}), key)
    return log


def _written_later(value: str, chance: random.Random) -> str:
    """A copy: the same change, written to Kafka another time."""
    message = json.loads(value, parse_float=Decimal)
    message["payload"]["ts_ms"] += chance.randrange(5000)
    return to_json(message)


def _halves(step: Step, moves_at_once: bool) -> list[tuple[str, Row | None, Row | None]]:
    if step.moves and not moves_at_once:
        return [("d", step.before, None), ("c", None, step.after)]
    operation = {"load": "r", "insert": "c", "update": "u", "delete": "d"}.get(step.operation, "t")
    return [(operation, step.before, step.after)]


def _record_key(table: Table, image: Callable[[Row], Row], row: Row | None) -> str | None:
    if row is None:
        return None
    written = image(row)
    columns = KEY_COLUMNS[table.profile.key_kind]
    return to_json({"ROW": written["ROW"]} if "ROW" in written else {name: row[name] for name in columns})


def _hbase_image(row: Row) -> Row:
    texts = {"ROW": "|".join(key_of(row))}
    texts |= {f"f_{name}": str(row[name]) for name in COLUMNS if row[name] is not None}
    return {name: base64.b64encode(text.encode()).decode() for name, text in texts.items()}
