"""State of a source's stream from Kafka: its start and its landed batches.

A stream is the newest folder in WATERSHED_HOME/kafka/<source>.streams: `start.json` contains its start, `checkpoint` is
Spark's. A new one begins if Spark could not continue: other topics, an accepted loss, a recreated topic.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from deltalake import DeltaTable

from watershed.errors import WatershedError
from watershed.home import Home
from watershed.kafka.offsets import Positions, batch_end, from_json, to_json


@dataclass(frozen=True)
class Stream:
    """A stream of one source.

    Args:
        folder: The folder of its state.
        name: Delta's application id of its batches in landing.messages; unique per stream.
        start: Its start; also the positions of topics that have left it, because they may return.
        topics: The topics that it reads.
        ids: The last known id of each topic.
        epochs: The generation of each recreated topic, 2 after the first time; it then lands as `topic@0002`.
    """

    folder: Path
    name: str
    start: Positions
    topics: frozenset[str]
    ids: Mapping[str, str]
    epochs: Mapping[str, int]

    @property
    def checkpoint(self) -> Path:
        """Spark's checkpoint folder."""
        return self.folder / "checkpoint"

    def landed_until(self, home: Home) -> dict[tuple[str, int], int]:
        """Return the next position: after the last batch in landing.messages.

        Delta's log determines it, because a kill may leave a batch that is missing in Spark's checkpoint.
        """
        batch = DeltaTable(str(home.messages)).transaction_version(self.name)
        landed = {} if batch is None else batch_end(self.checkpoint, batch)
        return {**self.start, **landed}

    def landed_as(self, topic: str) -> str:
        """Return the name that messages of a topic land under; those of a recreated topic sort after the old ones."""
        return f"{topic}@{self.epochs[topic]:04}" if topic in self.epochs else topic

    def with_recreated(self, topics: Iterable[str]) -> Stream:
        """Return the stream with these topics marked as recreated."""
        return replace(self, epochs={**self.epochs, **{topic: self.epochs.get(topic, 1) + 1 for topic in topics}})


def newest_stream(home: Home, source_name: str) -> Stream | None:
    """Return the stream of a source; None if it never had one.

    Raises:
        WatershedError: its notes cannot be read.
    """
    notes = sorted(path_of(home, source_name, "streams").glob("[0-9]*/start.json"))
    if not notes:
        return None
    try:
        noted = json.loads(notes[-1].read_text(encoding="utf-8"))
        start = from_json(json.dumps(noted["start"]))
        topics = frozenset(noted["topics"])
        return Stream(notes[-1].parent, noted["name"], start, topics, noted["ids"], noted["epochs"])
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise WatershedError(
            f"{notes[-1]}: expected the content that `watershed land-kafka` writes, found: {error!r}.",
            "Restore it from a backup. Without it the landed offsets are unknown.",
        ) from error


def begin(
    home: Home,
    source_name: str,
    start: Positions,
    topics: Iterable[str],
    ids: Mapping[str, str],
    epochs: Mapping[str, int],
) -> Stream:
    """Begin a new stream of a source at some positions."""
    folders = path_of(home, source_name, "streams")
    numbers = [int(folder.name) for folder in folders.glob("[0-9]*") if folder.name.isdigit()]
    name = f"watershed-kafka/{source_name}/{secrets.token_hex(8)}"
    stream = Stream(folders / f"{max(numbers, default=0) + 1:06}", name, start, frozenset(topics), ids, epochs)
    stream.folder.mkdir(parents=True)
    note(stream, ids)
    return stream


def note(stream: Stream, ids: Mapping[str, str]) -> None:
    """Write the state of a stream, with the current ids of its topics."""
    noted = {
        "name": stream.name,
        "start": json.loads(to_json(stream.start)),
        "topics": sorted(stream.topics),
        "ids": {**stream.ids, **ids},
        "epochs": dict(stream.epochs),
    }
    unfinished = stream.folder / "start.json.new"
    unfinished.write_text(json.dumps(noted, indent=1), encoding="utf-8")
    unfinished.replace(stream.folder / "start.json")


def path_of(home: Home, source_name: str, ending: str) -> Path:
    """Return a path of a source: its streams, the lock of the running one (lock), or temporary files (tmp)."""
    return home.kafka / f"{quote(source_name, safe='')}.{ending}"
