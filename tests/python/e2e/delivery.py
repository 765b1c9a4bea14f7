"""The log that a history is written to, and the ways in which it is delivered."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Message:
    """One message at its place."""

    partition: int
    offset: int
    value: str
    key: str | None


@dataclass
class Log:
    """The partitions of a topic, filled in the order of the source.

    `order` defines where a copy may be: with a sequence, anywhere; if position orders a window or a second, or if the
    position in the source log identifies a change, after all other messages of its partition; if position is the only
    order, a copy is the same position read twice. `resend` makes the value of a copy, for formats that contain the time
    of sending.
    """

    topic: str
    partitions: int = 3
    order: str = "sequence"
    resend: Callable[[str, random.Random], str] = lambda value, _: value
    messages: list[Message] = field(default_factory=list)
    _ends: dict[int, int] = field(default_factory=dict)

    def partition_of(self, route: object) -> int:
        """Where messages of this route (a key, a second, ..) go."""
        return zlib.crc32(str(route).encode()) % self.partitions

    def append(self, route: object, value: str, key: str | None = None) -> Message:
        """Put a message at the end of the partition of its route."""
        return self.append_to(self.partition_of(route), value, key)

    def append_to(self, partition: int, value: str, key: str | None = None) -> Message:
        """Put a message at the end of a partition."""
        message = self._at_the_end(partition, value, key)
        self.messages.append(message)
        return message

    def deliver(self, chance: random.Random, copies: int, batches: int, is_scattered: bool = False) -> list[list[str]]:
        """Deliver every message so many times, shuffled, as envelope lines in so many batches."""
        delivered = list(self.messages)
        for message in self.messages * (copies - 1):
            if self.order == "position":
                delivered.append(message)
            else:
                anywhere = is_scattered and self.order == "sequence"
                partition = chance.randrange(self.partitions) if anywhere else message.partition
                value = self.resend(message.value, chance)
                delivered.append(self._at_the_end(partition, value, message.key))
        chance.shuffle(delivered)
        lines = [self.envelope(message) for message in delivered]
        return [lines[start::batches] for start in range(batches)]

    def envelope(self, message: Message) -> str:
        """A message as an envelope line."""
        line = {"topic": self.topic, "partition": message.partition, "offset": message.offset, "value": message.value}
        return json.dumps(line if message.key is None else line | {"key": message.key})

    def _at_the_end(self, partition: int, value: str, key: str | None) -> Message:
        offset = self._ends.get(partition, 0)
        self._ends[partition] = offset + 1
        return Message(partition, offset, value, key)


def write_batch(folder: Path, name: str, lines: list[str]) -> Path:
    """Write one batch as an envelope file."""
    file = folder / f"{name}.jsonl"
    file.write_text("".join(line + "\n" for line in lines))
    return file
