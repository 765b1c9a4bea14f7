"""The configured sources and their formats, from seeds/cdc_sources.csv."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path

import yaml

from watershed.configuration import Problem, Row, is_time_zone, read_rows, rule_problems
from watershed.errors import WatershedError
from watershed.home import PROJECT_FILE

SEEDS = Path("seeds")
SEEDS_WITH_SAMPLES = Path("target") / "seeds"
"""Read in the place of SEEDS where the switch is set; `watershed.samples` does both."""
SWITCH = "WATERSHED_SAMPLES"
COLUMNS = ["source_name", "format", "time_zone"]
OPTIONAL_COLUMNS = ["order_by", "unavailable_value"]
ORDERS = ("", "position")
_PLACEHOLDER = re.compile("(?!hex:).*|hex:([0-9A-Fa-f]{2})+", re.DOTALL)
TOPIC_NAMES_TABLE = frozenset({"datahub_tuple"})
"""Formats whose messages may take the table's name from the topic: that of a file without topics is its own name."""
BINARY_FORMATS = frozenset({"databus_binary"})
"""Formats whose values may be other bytes than text: the first bytes of a file cannot be judged."""


class Sources:
    """The sources of one project, by name.

    Args:
        path: The CSV that they were read from, for messages.
        formats: The format of each source name.
        problems: The problems of rows of the CSV.
    """

    def __init__(self, path: Path, formats: dict[str, str], problems: Collection[Problem] = ()) -> None:
        """Keep the path, the formats and the problems."""
        self.path = path
        self.formats = formats
        self.problems = problems

    def format_of(self, source_name: str) -> str:
        """Return the format of a source.

        Raises:
            WatershedError: no such source (the message lists the known ones), or its row is invalid.
        """
        for problem in self.problems:
            if problem.source_name in (source_name, "" if source_name not in self.formats else source_name):
                raise WatershedError(str(problem))
        try:
            return self.formats[source_name]
        except KeyError:
            known = ", ".join(sorted(self.formats)) or "none"
            raise WatershedError(
                f"Source {source_name!r} is not in {self.path} (known: {known}).",
                f"Add a line {','.join(COLUMNS)} for it, or correct the name.",
            ) from None

    def other_problems(self, source_names: Collection[str]) -> list[Problem]:
        """Return problems that do not prevent these sources from landing."""
        rules = rule_problems(self.path.parents[1], self.formats)
        return [*(problem for problem in self.problems if problem.source_name not in source_names), *rules]


def read_sources(project_dir: Path) -> Sources:
    """Read seeds/cdc_sources.csv of a project, with the samples' sources if WATERSHED_SAMPLES is set.

    An invalid row affects only its own source.

    Raises:
        WatershedError: the file is missing, is not CSV, or has other columns.
    """
    path = project_dir / (SEEDS_WITH_SAMPLES if os.environ.get(SWITCH) else SEEDS) / "cdc_sources.csv"
    rows, problems = read_rows(path, COLUMNS, OPTIONAL_COLUMNS)
    known_formats = read_formats(project_dir)
    formats: dict[str, str] = {}
    for row in rows:
        name = row.cells["source_name"]
        if name in formats:
            problem = f"source_name {name!r} occurs twice."
            problems.append(Problem(row.place, name, problem, "Keep one of the two lines."))
        problems += _problems(row, known_formats)
        formats[name] = row.cells["format"]
    return Sources(path, formats, problems)


def read_formats(project_dir: Path) -> tuple[str, ...]:
    """Return the names of all formats: the var `formats` of dbt_project.yml, the only list; empty without it."""
    project = yaml.safe_load((project_dir / PROJECT_FILE).read_text("utf-8")) or {}
    return tuple(project.get("vars", {}).get("formats", ()))


def _problems(row: Row, known_formats: Collection[str]) -> Iterator[Problem]:
    name, format_name, zone = (row.cells[column] for column in COLUMNS)
    order, placeholder = row.cells.get("order_by", ""), row.cells.get("unavailable_value", "")
    if not name:
        yield Problem(row.place, name, "source_name is empty.", "Name the source, or remove the line.")
    if known_formats and format_name not in known_formats:
        problem = f"source {name!r} has format {format_name!r}, which does not exist."
        meant = difflib.get_close_matches(format_name.lower(), known_formats, 1)
        hint = f"Did you mean {meant[0]!r}? " if meant else ""
        yield Problem(row.place, name, problem, f"{hint}Formats: {', '.join(known_formats)}.")
    if zone and not is_time_zone(zone):
        problem = f"source {name!r} has time_zone {zone!r}, which does not exist."
        yield Problem(row.place, name, problem, "Expected an IANA name such as Asia/Shanghai, or empty for UTC.")
    if order not in ORDERS:
        problem = f"source {name!r} has order_by {order!r}."
        yield Problem(row.place, name, problem, "Expected position, or empty for the order of the format.")
    if not _PLACEHOLDER.fullmatch(placeholder):
        problem = f"source {name!r} has unavailable_value {placeholder!r}."
        yield Problem(row.place, name, problem, "Expected hex: and pairs of hexadecimal digits, or another text.")
