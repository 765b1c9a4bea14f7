"""Files that have landed before, and the topic and partition of new ones (ADR 0023)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deltalake import DeltaTable

from watershed.home import Home
from watershed.landing.content import name_of_content
from watershed.landing.delta_reads import add_actions, may_hold, present_batches, read_columns, rows_of
from watershed.landing.messages import InputFile, Mode, Place, ScannedFile
from watershed.sources import TOPIC_NAMES_TABLE
from watershed.store import Location

_Topic = tuple[str, str]


@dataclass(frozen=True)
class Skipped:
    """A file that is skipped because its bytes have already landed for this source."""

    input: InputFile
    size: int
    file_name: str
    batch_id: str | None  # None: another file of the same call has the same bytes


def split_landed(
    home: Home, adds: list[dict[str, Any]], files: Sequence[ScannedFile]
) -> tuple[list[ScannedFile], list[Skipped]]:
    """Split the files into those to land and those that have landed.

    A file has landed if its bytes have, for the same source, split in the same way and, if a topic is given, under it.

    Args:
        home: The home of the tables.
        adds: The data files of landing.messages.
        files: In the order of the call.

    Returns:
        The files to land, in the same order, and those to skip.
    """
    recorded = _recorded_files(home, files)
    present = present_batches(home.messages, adds, {row["batch_id"] for row in recorded})
    landed = defaultdict(list)
    for row in recorded:
        if row["batch_id"] in present:
            landed[row["source_name"], row["file_sha256"]].append(row)
    to_land: dict[tuple[str, str, Mode, str | None], ScannedFile] = {}
    skipped = []
    for file in files:
        asked = file.input
        identity = (asked.source_name, file.sha256, asked.mode, asked.topic)
        same = [row for row in landed[asked.source_name, file.sha256] if _is_same(asked, row)]
        if same:
            skipped.append(Skipped(asked, file.size, same[0]["file_name"], same[0]["batch_id"]))
        elif identity in to_land:
            skipped.append(Skipped(asked, file.size, str(to_land[identity].input.path), None))
        else:
            to_land[identity] = file
    return list(to_land.values()), skipped


def place_files(
    messages: Location, adds: Collection[dict[str, Any]], files: Sequence[ScannedFile]
) -> list[Place | None]:
    """Assign each file a topic and a partition of its own, after the partitions that the topic has.

    Args:
        messages: The folder of landing.messages, as named by its data files.
        adds: Its data files. The landing lock must be held, or two calls could take the same number.
        files: In the order in which they land.

    Returns: A place per file; none for envelopes, whose lines contain their places.
    """
    topics: list[_Topic | None] = [
        None if file.input.mode is Mode.ENVELOPE else (file.input.source_name, topic_of(file.input)) for file in files
    ]
    newest = _highest_partitions(messages, adds, {topic for topic in topics if topic is not None})
    places: list[Place | None] = []
    for topic in topics:
        if topic is None:
            places.append(None)
            continue
        newest[topic] += 1
        places.append(Place(topic[1], newest[topic]))
    return places


def topic_of(file: InputFile) -> str:
    """Return --topic, else the file's name if the topic names the table, else the source's name."""
    if file.topic is not None:
        return file.topic
    return name_of_content(file.path) if file.format in TOPIC_NAMES_TABLE else file.source_name


def _highest_partitions(
    messages: Location, adds: Collection[dict[str, Any]], topics: Collection[_Topic]
) -> dict[_Topic, int]:
    """Return the highest partition of each topic in landing.messages, -1 for a topic without messages.

    Statistics are sufficient for data files with one topic. Others are read only if they may have a higher partition,
    so a large compacted landing table costs a few columns of some files.
    """
    newest = dict.fromkeys(topics, -1)
    mixed = []
    for add in adds:
        topic = _only_topic(add)
        if topic is None:
            mixed.append(add)
        elif topic in newest:
            newest[topic] = max(newest[topic], add["max.partition"])
    for add in sorted(mixed, key=lambda add: -_most(add)):
        if any(_may_raise(add, topic, newest[topic]) for topic in topics):
            found = read_columns(messages, add, ["source_name", "topic", "partition"])
            grouped = found.group_by(["source_name", "topic"]).aggregate([("partition", "max")])
            for row in grouped.to_pylist():
                if (topic := (row["source_name"], row["topic"])) in newest:
                    newest[topic] = max(newest[topic], row["partition_max"])
    return newest


def _only_topic(add: Mapping[str, Any]) -> _Topic | None:
    """Return the topic of a data file with a single one, if its statistics contain it and its highest partition."""
    source_name, topic = add.get("min.source_name"), add.get("min.topic")
    is_one = (source_name, topic) == (add.get("max.source_name"), add.get("max.topic"))
    if not is_one or source_name is None or topic is None or add.get("max.partition") is None:
        return None
    return source_name, topic


def _may_raise(add: Mapping[str, Any], topic: _Topic, newest: int) -> bool:
    columns = zip(("source_name", "topic"), topic, strict=True)
    return _most(add) > newest and all(may_hold(dict(add), name, [value]) for name, value in columns)


def _most(add: Mapping[str, Any]) -> int:
    """Return the highest partition that a data file may have."""
    most = add.get("max.partition")
    return 2**31 if most is None else int(most)


def _recorded_files(home: Home, files: Sequence[ScannedFile]) -> list[dict[str, Any]]:
    """Return the records of files with one of these digests, including uncommitted batches."""
    digests = {file.sha256 for file in files}
    columns = ["source_name", "file_sha256", "file_name", "batch_id", "mode", "topic"]
    rows: list[dict[str, Any]] = []
    for add in add_actions(DeltaTable(str(home.files))):
        if may_hold(add, "file_sha256", digests):
            rows += rows_of(home.files, add, columns)
    return [row for row in rows if row["file_sha256"] in digests]


def _is_same(file: InputFile, row: Mapping[str, Any]) -> bool:
    """Return whether a record of the same bytes and source has the mode of a file and, if one is given, its topic."""
    return row["mode"] == file.mode and file.topic in (None, row["topic"])
