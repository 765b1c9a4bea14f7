"""What a source's stream from Kafka has noted: where it began, and which batches have landed.

A stream is a folder in WATERSHED_HOME/kafka/<source>.streams, the newest of some: `start.json` says where it began,
`checkpoint` is Spark's. Another is begun where Spark could not go on: other topics, a loss that was accepted, a topic
made anew.
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
        folder: Where its notes lie.
        name: Under which landing.messages notes its batches (Delta's application id); no two streams share one.
        start: Where it began; also where topics stood that have left it, for they may come back.
        topics: What it reads.
        ids: The id of each topic when it was seen last.
        epochs: How often a topic was made anew, 1 for the first time; it then lands under a name of its own.
    """

    folder: Path
    name: str
    start: Positions
    topics: frozenset[str]
    ids: Mapping[str, str]
    epochs: Mapping[str, int]

    @property
    def checkpoint(self) -> Path:
        """Where Spark notes its batches."""
        return self.folder / "checkpoint"

    def landed_until(self, home: Home) -> dict[tuple[str, int], int]:
        """Return where the stream goes on: behind the last batch that is in landing.messages.

        Delta's log says which one that is, not Spark's: a kill between the two leaves a batch that only the first has.
        """
        batch = DeltaTable(str(home.messages)).transaction_version(self.name)
        landed = {} if batch is None else batch_end(self.checkpoint, batch)
        return {**self.start, **landed}

    def landed_as(self, topic: str) -> str:
        """Return the name that messages of a topic land under; those of a topic made anew sort behind the old ones."""
        return f"{topic}@{self.epochs[topic]:04}" if topic in self.epochs else topic

    def with_anew(self, topics: Iterable[str]) -> Stream:
        """Return the stream with these topics made anew once more."""
        return replace(self, epochs={**self.epochs, **{topic: self.epochs.get(topic, 1) + 1 for topic in topics}})


def newest_stream(home: Home, source_name: str) -> Stream | None:
    """Return the stream of a source; None if it never had one.

    Raises:
        WatershedError: its notes cannot be read.
    """
    notes = sorted(_folder_of(home, source_name).glob("[0-9]*/start.json"))
    if not notes:
        return None
    try:
        noted = json.loads(notes[-1].read_text(encoding="utf-8"))
        start = from_json(json.dumps(noted["start"]))
        topics = frozenset(noted["topics"])
        return Stream(notes[-1].parent, noted["name"], start, topics, noted["ids"], noted["epochs"])
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise WatershedError(
            f"{notes[-1]}: expected what `watershed land-kafka` writes there, found something else: {error!r}.",
            "Put it back from a backup. Without it nothing says what has landed.",
        ) from error


def begin(
    home: Home,
    source_name: str,
    start: Positions,
    topics: Iterable[str],
    ids: Mapping[str, str],
    epochs: Mapping[str, int],
) -> Stream:
    """Begin another stream of a source, at some positions."""
    folders = _folder_of(home, source_name)
    numbers = [int(folder.name) for folder in folders.glob("[0-9]*") if folder.name.isdigit()]
    name = f"watershed-kafka/{source_name}/{secrets.token_hex(8)}"
    stream = Stream(folders / f"{max(numbers, default=0) + 1:06}", name, start, frozenset(topics), ids, epochs)
    stream.folder.mkdir(parents=True)
    note(stream, ids)
    return stream


def note(stream: Stream, ids: Mapping[str, str]) -> None:
    """Write what a stream knows, with the ids of its topics as they are now."""
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


def lock_of(home: Home, source_name: str) -> Path:
    """Return the file whose lock says that a stream of the source runs."""
    return home.kafka / f"{quote(source_name, safe='')}.lock"


def scratch_of(home: Home, source_name: str) -> Path:
    """Return a folder for temporary files of the command that lands the source."""
    return home.kafka / f"{quote(source_name, safe='')}.tmp"


def _folder_of(home: Home, source_name: str) -> Path:
    return home.kafka / f"{quote(source_name, safe='')}.streams"
