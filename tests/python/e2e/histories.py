"""Made-up histories of one table, their messages, and the rows they must end in.

A history is drawn from a seed; `fold` applies it in order, in plain Python, and knows nothing of the SQL under test.
"""

from __future__ import annotations

import json
import random
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Row = dict[str, Any]
START_MILLIS = 1_767_225_600_000


@dataclass
class Step:
    """One change at the source: before and after are rows, both None for a truncate."""

    operation: str
    number: int
    before: Row | None = None
    after: Row | None = None


@dataclass
class Message:
    """One message at its place."""

    partition: int
    offset: int
    value: str


@dataclass
class Log:
    """The partitions of a topic, filled in the order of the source."""

    topic: str
    partitions: int = 3
    has_sequence: bool = True
    messages: list[Message] = field(default_factory=list)
    _ends: dict[int, int] = field(default_factory=dict)

    def append(self, key: object, value: str) -> None:
        """Put a message at the end of the partition of its key."""
        partition = zlib.crc32(str(key).encode()) % self.partitions if key is not None else 0
        offset = self._ends.get(partition, 0)
        self._ends[partition] = offset + 1
        self.messages.append(Message(partition, offset, value))

    def deliver(self, seed: int, copies: int, batches: int) -> list[list[str]]:
        """Deliver every message 1 to `copies` times, shuffled, as envelope lines in so many batches."""
        chance = random.Random(seed)
        # A copy stands where it was sent again: behind everything, as after a failover of the capture. Where position
        # is the only order, only the same place can be read twice.
        again = [message for message in self.messages for _ in range(chance.randrange(copies))]
        for message in again:
            offset = message.offset
            if self.has_sequence:
                offset = self._ends[message.partition]
                self._ends[message.partition] = offset + 1
            self.messages.append(Message(message.partition, offset, message.value))
        chance.shuffle(self.messages)
        lines = [
            json.dumps({"topic": self.topic, "partition": m.partition, "offset": m.offset, "value": m.value})
            for m in self.messages
        ]
        return [lines[start::batches] for start in range(batches)]


def draw(seed: int, steps: int, truncates: bool) -> list[Step]:
    """Draw a history of one table with the columns id, name, amount."""
    chance = random.Random(seed)
    live: dict[int, Row] = {}
    history: list[Step] = []
    for number in range(1, steps + 1):
        kind = chance.random()
        if truncates and kind < 0.02:
            history.append(Step("truncate", number))
            live.clear()
        elif not live or kind < 0.35:
            row = _row(chance, chance.choice([key for key in range(1, 40) if key not in live]))
            history.append(Step("insert", number, None, row))
            live[row["id"]] = row
        else:
            before = live.pop(chance.choice(sorted(live)))
            if kind < 0.55:
                history.append(Step("delete", number, before))
                continue
            moved = kind > 0.9
            key = chance.choice([k for k in range(1, 60) if k not in live]) if moved else before["id"]
            after = _row(chance, key)
            history.append(Step("update", number, before, after))
            live[key] = after
    return history


def fold(history: list[Step]) -> dict[int, Row]:
    """Apply a history in order; the rows by id."""
    live: dict[int, Row] = {}
    for step in history:
        if step.operation == "truncate":
            live.clear()
        if step.before is not None:
            live.pop(step.before["id"])
        if step.after is not None:
            live[step.after["id"]] = step.after
    return live


def write_batch(folder: Path, name: str, lines: list[str]) -> Path:
    """Write one batch as an envelope file."""
    file = folder / f"{name}.jsonl"
    file.write_text("".join(line + "\n" for line in lines))
    return file


def _row(chance: random.Random, key: int) -> Row:
    return {
        "id": key,
        "name": chance.choice(["Ada", "it's", 'say "hi"', "naïve", ""]),
        "amount": chance.randrange(10**6),
    }
