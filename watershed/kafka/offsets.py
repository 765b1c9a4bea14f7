"""Positions of a stream from Kafka: landed offsets, offsets on the broker, and gaps between them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from watershed.errors import WatershedError

Partition = tuple[str, int]
Positions = Mapping[Partition, int]
"""Of each partition of a topic the offset of the next message."""


@dataclass(frozen=True)
class OnBroker:
    """State of some topics on the broker: the id of each, and the first and the end offset of each partition."""

    ids: Mapping[str, str]
    first: Positions
    end: Positions


def to_json(positions: Positions) -> str:
    """Return positions in the form of Spark's option startingOffsets."""
    topics: dict[str, dict[str, int]] = {}
    for (topic, partition), offset in sorted(positions.items()):
        topics.setdefault(topic, {})[str(partition)] = offset
    return json.dumps(topics)


def from_json(text: str) -> dict[Partition, int]:
    """Parse the positions that Spark writes as JSON."""
    return {
        (topic, int(partition)): offset
        for topic, partitions in json.loads(text).items()
        for partition, offset in partitions.items()
    }


def batch_end(checkpoint: Path, batch: int) -> dict[Partition, int]:
    """Return the end of a batch of a checkpoint.

    Raises:
        WatershedError: the checkpoint does not contain it in Spark's format.
    """
    path = checkpoint / "offsets" / str(batch)
    try:
        # A line for the version, one for the settings, and one for the single source.
        return from_json(path.read_text(encoding="utf-8").splitlines()[2])
    except (OSError, IndexError, ValueError, AttributeError) as error:
        raise WatershedError(
            f"{path}: expected the offsets of a batch in Spark's format, found none: {error}.",
            f"Restore {checkpoint} from a backup. Without it the landed offsets are unknown.",
        ) from error


def remade_topics(ids: Mapping[str, str], needed: Positions, broker: OnBroker) -> list[str]:
    """Return recreated topics: another id, or an end before the landed offsets."""
    other = {topic for topic, known in ids.items() if broker.ids.get(topic, known) != known}
    shorter = {
        partition[0]
        for partition, offset in needed.items()
        if partition in broker.end and offset > broker.end[partition]
    }
    return sorted(other | shorter)


def check(
    source_name: str, ids: Mapping[str, str], needed: Positions, broker: OnBroker, named: Callable[[str], str]
) -> None:
    """Fail if a stream cannot continue without a loss.

    Args:
        source_name: The source, for messages.
        ids: The ids of its topics when they were read last.
        needed: Its next offsets.
        broker: The existing topics.
        named: Returns the name that a recreated topic would land under.

    Raises:
        WatershedError: a topic is missing or recreated, or messages were removed before they were read.
    """
    gone = sorted({topic for topic, _ in needed} - set(broker.ids))
    if gone:
        raise WatershedError(
            f"Source {source_name!r}: expected {_named(gone)} on the broker, found no such topic.",
            "Check --bootstrap-servers. If it was deleted permanently, remove it from the feed, or use --accept-loss.",
        )
    remade = remade_topics(ids, needed, broker)
    if remade:
        found = "; ".join(
            f"{topic!r}: landed up to {_offsets(needed, topic)}, on the broker up to {_offsets(broker.end, topic)}"
            for topic in remade
        )
        is_cut = all(ids.get(topic, now) == now for topic, now in broker.ids.items() if topic in remade)
        raise WatershedError(
            f"Source {source_name!r}: {_named(remade)} "
            + ("ends before the landed offsets" if is_cut else "was deleted and recreated")
            + f": {found}.",
            ("It lost messages, or a replica is out of date: wait, or restore it. " if is_cut else "")
            + f"To land the new topic from its start, as {named(remade[0])!r}: run the same command with --new-epoch.",
        )
    lost = [(at, offset, broker.first[at]) for at, offset in sorted(needed.items()) if offset < broker.first.get(at, 0)]
    if lost:
        ranges = "; ".join(f"{topic}-{number}: {since} to {until - 1}" for (topic, number), since, until in lost)
        count = sum(until - since for _, since, until in lost)
        raise WatershedError(
            f"Source {source_name!r}: the broker has removed up to {count:,} messages before they were read: {ranges}.",
            "To continue without the removed messages: run the same command with --accept-loss.",
        )


def lag(landed: Positions, end: Positions) -> dict[Partition, int]:
    """Return the number of unread offsets of each partition."""
    return {partition: max(0, offset - landed.get(partition, offset)) for partition, offset in sorted(end.items())}


def _named(topics: list[str]) -> str:
    return ("topic " if len(topics) == 1 else "topics ") + ", ".join(map(repr, topics))


def _offsets(positions: Positions, topic: str) -> str:
    return ", ".join(
        f"{offset} in {partition}" for (name, partition), offset in sorted(positions.items()) if name == topic
    )
