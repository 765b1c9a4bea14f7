"""The user-edited seeds as files: every cell is checked when a command reads it, and errors name file and line.

The data test assert_configuration_can_be_used checks these rules on the loaded seeds, single quotes only in names.
"""

from __future__ import annotations

import csv
import json
import re
import zoneinfo
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from watershed.errors import WatershedError

TABLE_KEYS_CSV = Path("seeds") / "table_keys.csv"
_PLACE = ["source_name", "database_name", "schema_name", "table_name"]
TABLE_KEYS = [*_PLACE, "key_columns", "lob_columns", "soft_delete_column"]
DATABUS_SOURCES_CSV = Path("seeds") / "databus_sources.csv"
DATABUS_SOURCES = ["source_name", "source_id", "table_name"]
_SINGLE_QUOTED = re.compile("'.*'", re.DOTALL)
_OFFSET = re.compile(r"Z|(UTC|GMT|UT)?[+-](0?\d|1[0-7])(:?[0-5]\d)?|(UTC|GMT|UT)?[+-]18(:?00)?")


class Problem(NamedTuple):
    """An invalid row; the other rows remain usable."""

    place: str
    source_name: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        """Return it as an error."""
        return f"{self.place}: {self.problem}\n  {self.remedy}"


class Row(NamedTuple):
    """A line of a seed: its file and line, and its cells by column, without spaces around them."""

    place: str
    cells: Mapping[str, str]


def read_rows(path: Path, columns: Sequence[str], optional: Sequence[str] = ()) -> tuple[list[Row], list[Problem]]:
    """Read a seed; a line with too few or too many cells affects only its own source.

    Args:
        path: The CSV file.
        columns: The required columns, in this order.
        optional: Columns that may follow them, in any order; a line may omit them.

    Raises: WatershedError: the file is missing, is not CSV, or has other columns.
    """
    expected = ",".join(columns)
    try:
        text = path.read_text(encoding="utf-8-sig")  # Excel begins a file with a byte order mark, which dbt skips too
    except FileNotFoundError:
        raise WatershedError(f"{path} is missing.", f"Create it with the columns {expected}.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise WatershedError(f"{path} cannot be read as UTF-8 text: {error}.", "Save it as UTF-8.") from error
    reader = csv.reader(text.splitlines(keepends=True), strict=True)
    rows, problems = [], []
    try:
        header = next(reader, [])
        further = header[len(columns) :]
        if header[: len(columns)] != [*columns] or len({*further}) < len(further) or not {*further} <= {*optional}:
            raise WatershedError(
                f"{path}:1: expected the columns {expected}, found {','.join(header)!r}.", _header_remedy(header)
            )
        for cells in reader:
            place = f"{path}:{reader.line_num}"
            if cells and not len(columns) <= len(cells) <= len(header):
                problem = f"expected {len(header)} cells ({','.join(header)}), found {len(cells)}."
                problems.append(Problem(place, cells[0].strip(), problem, "Put a name with a comma in quotes."))
            elif quoted := next((cell for cell in map(str.strip, cells) if _SINGLE_QUOTED.fullmatch(cell)), None):
                problem = f"{quoted} is in single quotes, which would become part of the value."
                remedy = "Remove them; only a cell with a comma needs quotes, and then double ones."
                problems.append(Problem(place, cells[0].strip().strip("'"), problem, remedy))
            elif cells:
                rows.append(Row(place, dict(zip_longest(header, map(str.strip, cells), fillvalue=""))))
    except csv.Error as error:
        raise WatershedError(
            f"{path}:{reader.line_num}: not CSV: {error}.", "Check for an unbalanced quotation mark."
        ) from error
    return rows, problems


def _header_remedy(header: Sequence[str]) -> str:
    """Return the remedy for an unexpected first line."""
    for separator, name in ((";", "semicolons"), ("\t", "tabs")):
        if len(header) == 1 and separator in header[0]:
            return f"The cells are separated by {name}. Save it with commas (Excel takes the system's list separator)."
    return "Fix the header; dbt matches columns by name."


def is_time_zone(text: str) -> bool:
    """Return whether it is a zone: an IANA name or a UTC offset. Abbreviations such as CST are ambiguous."""
    return text in zoneinfo.available_timezones() - {"Factory"} or _OFFSET.fullmatch(text) is not None


def rule_problems(project_dir: Path, formats: Mapping[str, str]) -> list[Problem]:
    """Return the problems of table_keys.csv and databus_sources.csv, which dbt reads.

    Args:
        project_dir: The dbt project.
        formats: The format of each configured source.
    """
    problems: list[Problem] = []
    for name, columns, check in (
        (TABLE_KEYS_CSV, TABLE_KEYS, _table_key_problems),
        (DATABUS_SOURCES_CSV, DATABUS_SOURCES, _databus_problems),
    ):
        if not (project_dir / name).exists():
            continue
        try:
            rows, found = read_rows(project_dir / name, columns)
        except WatershedError as error:
            place, _, text = str(error).partition(": ")
            problem, _, remedy = text.partition("\n  ")
            problems.append(Problem(place, "", problem, remedy))
        else:
            problems += [*found, *check(rows, formats)]
    return problems


def _table_key_problems(rows: list[Row], formats: Collection[str]) -> Iterator[Problem]:
    for row in rows:
        source = row.cells["source_name"]
        if source and source not in formats:
            yield _unknown_source(row)
        for column in ("key_columns", "lob_columns"):
            if not _is_name_list(row.cells[column]):
                yield Problem(
                    row.place,
                    source,
                    f"{column} is {row.cells[column]!r}, which is not a list of names.",
                    'Expected names separated by commas, or a JSON array: "[""order_id"",""line""]".',
                )
    for number, one in enumerate(rows):
        for other in rows[:number]:
            if _are_ambiguous(one.cells, other.cells):
                yield Problem(
                    one.place,
                    one.cells["source_name"],
                    f"the rule fits the same tables as {other.place} and is as specific: their order is undefined.",
                    "Keep one of the two, or fill another of the cells source_name to table_name.",
                )


def _databus_problems(rows: list[Row], formats: Mapping[str, str]) -> Iterator[Problem]:
    places: dict[tuple[str, str], str] = {}
    for row in rows:
        source, source_id, table = (row.cells[column] for column in DATABUS_SOURCES)
        if source not in formats:
            yield _unknown_source(row)
        elif not formats[source].startswith("databus_"):
            yield Problem(row.place, source, f"source {source!r} is not a Databus source.", "Remove the line.")
        if not re.fullmatch(r"\d{1,5}", source_id):
            yield Problem(row.place, source, f"source_id is {source_id!r}.", "Expected the number that events carry.")
        if not table:
            yield Problem(row.place, source, "table_name is empty.", "Name the table that the events change.")
        first = places.setdefault((source, source_id), row.place)
        if first != row.place:
            problem = f"source_id {source_id} of {source!r} occurs twice, first in {first}."
            yield Problem(row.place, source, problem, "Keep one of the two lines.")


def _unknown_source(row: Row) -> Problem:
    name = row.cells["source_name"]
    remedy = "Correct the name, or add a line for the source there."
    return Problem(row.place, name, f"source {name!r} is not in seeds/cdc_sources.csv.", remedy)


def _is_name_list(cell: str) -> bool:
    """Return whether the macro name_list can read a cell; an empty cell is valid."""
    if not cell.startswith("["):
        return not cell or all(name.strip() for name in cell.split(","))
    try:
        names = json.loads(cell)
    except ValueError:
        return False
    return bool(names) and all(isinstance(name, str) and name for name in names)


def _are_ambiguous(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    pairs = [(one[column], other[column]) for column in _PLACE]
    return sum(bool(left) for left, _ in pairs) == sum(bool(right) for _, right in pairs) and all(
        left == right or not left or not right for left, right in pairs
    )
