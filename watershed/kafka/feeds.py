"""Feeds from Kafka: brokers, topics and client properties of each source."""

from __future__ import annotations

import datetime as dt
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from watershed.configuration import read_rows
from watershed.errors import WatershedError
from watershed.sources import Sources

COLUMNS = ["source_name", "bootstrap_servers", "topics", "topic_pattern"]
VARIABLE = "WATERSHED_KAFKA_"
# Properties that Spark sets and rejects from users, and those that would break exactly-once landing.
_RESERVED = {
    *("bootstrap.servers", "group.id", "auto.offset.reset", "enable.auto.commit", "isolation.level"),
    *("interceptor.classes", "key.deserializer", "value.deserializer"),
}


@dataclass(frozen=True)
class Feed:
    """A source and its topics: either topics or a pattern of their names."""

    source_name: str
    format: str
    bootstrap_servers: str
    topics: tuple[str, ...]
    topic_pattern: str


def one_feed(sources: Sources, source_name: str, servers: str, topics: Sequence[str], pattern: str) -> Feed:
    """Return the feed named by the options of a command."""
    return _feed(sources, f"--source {source_name}", [source_name, servers, " ".join(topics), pattern])


def feeds_of(path: Path, sources: Sources) -> list[Feed]:
    """Read a table of feeds: source_name, bootstrap_servers, topics (separated by spaces), topic_pattern.

    Raises:
        WatershedError: a line is invalid, or a source occurs twice.
    """
    rows, problems = read_rows(path, COLUMNS)
    if problems:
        raise WatershedError(str(problems[0]))
    feeds = [_feed(sources, row.place, [row.cells[column] for column in COLUMNS]) for row in rows]
    names = [feed.source_name for feed in feeds]
    for row, name in zip(rows, names, strict=True):
        if names.count(name) > 1:
            raise WatershedError(
                f"{row.place}: source {name!r} occurs {names.count(name)} times.", "List all its topics in one line."
            )
    if not feeds:
        raise WatershedError(f"{path}: expected a line for each source, found none.", f"Columns: {','.join(COLUMNS)}.")
    return feeds


def client_properties(config: Path | None, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return further properties of Kafka's clients, mainly for security. Values are secret and never printed.

    Args:
        config: A properties file of Kafka: one `name=value` per line.
        environment: WATERSHED_KAFKA_SASL_JAAS_CONFIG is sasl.jaas.config; it overrides the file.

    Raises:
        WatershedError: a line is not a property, or a property must not be set.
    """
    found = _properties_of(config) if config else {}
    for name, value in environment.items():
        if name.startswith(VARIABLE):
            found[name.removeprefix(VARIABLE).lower().replace("_", ".")] = (name, value)
    for name, (place, _) in found.items():
        if name in _RESERVED:
            raise WatershedError(f"{place}: {name} must not be set: exactly-once landing depends on it.")
    return {name: value for name, (_, value) in found.items()}


def moment(text: str) -> int:
    """Return a time in milliseconds; without a zone it is UTC.

    Raises:
        WatershedError: it is not an ISO 8601 time.
    """
    try:
        found = dt.datetime.fromisoformat(text)
    except ValueError:
        raise WatershedError(
            f"--start {text}: expected earliest, latest or a time.", "For example 2026-01-31T08:00:00Z."
        ) from None
    return round((found if found.tzinfo else found.replace(tzinfo=dt.UTC)).timestamp() * 1000)


def _feed(sources: Sources, place: str, cells: list[str]) -> Feed:
    name, servers, topics, pattern = cells
    if not servers:
        raise WatershedError(f"{place}: no bootstrap servers.", "Expected host:port, separate several with commas.")
    if bool(topics.split()) == bool(pattern):
        raise WatershedError(
            f"{place}: expected topics or a pattern of their names, found {'both' if pattern else 'neither'}.",
            "Name topics (orders), or a regular expression that matches whole names (shop\\..*).",
        )
    try:
        re.compile(pattern)
    except re.error as error:
        raise WatershedError(f"{place}: {pattern!r} is not a regular expression: {error}.") from None
    return Feed(name, sources.format_of(name), servers, tuple(topics.split()), pattern)


def _properties_of(path: Path) -> dict[str, tuple[str, str]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WatershedError(f"--config {path}: cannot be read as UTF-8 text: {error}.") from error
    found = {}
    # As in Java: a line that ends with a backslash continues in the next one.
    joined = re.sub(r"\\\n[ \t]*", lambda cut: "\x00" * cut[0].count("\n"), text)
    number = 1
    for line in joined.split("\n"):
        place, number = f"{path}:{number}", number + 1 + line.count("\x00")
        stripped = line.replace("\x00", "").strip()
        if not stripped or stripped[0] in "#!":
            continue
        name, separator, value = stripped.partition("=")
        if not separator or not re.fullmatch(r"[a-z0-9.]+", name.strip()):
            raise WatershedError(
                f"{place}: expected name=value, found something else.", "The line may be secret, so it is not printed."
            )
        found[name.strip()] = (place, value.strip())
    return found
