"""A message of the shape that a page of the vendor describes, with values of our own, and the events that it gives."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

Event = tuple[str, str, str | None, str | None]
"""Outcome; change type, kind of control event or reason; table; image scope (or the detail of the reason)."""
MILLIS = 1_780_000_000_123


@dataclass(frozen=True)
class Documented:
    """A message with a name for its case, and the events that it gives."""

    name: str
    vendor_format: str
    value: Any
    key: Any
    events: list[Event]

    def envelope(self) -> str:
        """The message as an envelope line."""
        texts = [one if one is None or isinstance(one, str) else json.dumps(one) for one in (self.value, self.key)]
        return json.dumps({"topic": self.name, "partition": 0, "offset": 0, "value": texts[0], "key": texts[1]})
