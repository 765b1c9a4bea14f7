"""The types that a user gives to columns in seeds/typed_columns.csv, for tables whose messages tell none."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from watershed.configuration import Row, read_rows
from watershed.errors import WatershedError
from watershed.seen import Column, Table
from watershed.snapshot_files import Kinds
from watershed.sources import SEEDS, SEEDS_WITH_SAMPLES, SWITCH

COLUMNS = ["source_name", "table_name", "column_name", "type"]
_KIND = re.compile(r"[a-z_]+|decimal\(([1-9]|[12]\d|3[0-8]),\s*\d{1,2}\)")


def read_typed_columns(project_dir: Path) -> list[Row]:
    """Read the file, a row per column; a project may have none.

    Raises:
        WatershedError: it is no CSV, has other columns, an empty cell, or a column twice.
    """
    path = project_dir / (SEEDS_WITH_SAMPLES if os.environ.get(SWITCH) else SEEDS) / "typed_columns.csv"
    if not path.exists():
        return []
    rows, problems = read_rows(path, COLUMNS)
    if problems:
        raise WatershedError(str(problems[0]))
    places: dict[tuple[str, ...], str] = {}
    for row in rows:
        empty = next((name for name in COLUMNS if not row.cells[name]), None)
        if empty:
            raise WatershedError(f"{row.place}: {empty} is empty.", f"Expected {', '.join(COLUMNS)}.")
        column = tuple(row.cells[name] for name in COLUMNS[:3])
        if places.setdefault(column, row.place) != row.place:
            problem = f"column {column[2]!r} is there twice, first in {places[column]}."
            raise WatershedError(f"{row.place}: {problem}", "Keep one of the two lines.")
    return rows


def with_given_types(tables: Sequence[Table], rows: Iterable[Row], kinds: Kinds) -> list[Table]:
    """Return the tables with their columns in the order of the rows and of their types; others stand behind.

    Args:
        tables: As messages tell of them.
        rows: As the user has written them; those of other tables do not count.
        kinds: The value tables.

    Raises:
        WatershedError: a type is neither a kind nor one of the table's format.
    """
    given: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        given.setdefault((row.cells["source_name"], row.cells["table_name"]), []).append(row)
    return [
        _typed(table, found, kinds) if (found := given.get((table.source_name, table.table_name))) else table
        for table in tables
    ]


def _typed(table: Table, rows: Iterable[Row], kinds: Kinds) -> Table:
    seen = {column.name: column for column in table.columns}
    columns = []
    for row in rows:
        name, given = row.cells["column_name"], row.cells["type"]
        if not _KIND.fullmatch(kinds.kind_of(given, kinds.family_of(table)) or "0"):
            raise WatershedError(
                f"{row.place}: column {name!r} has type {given!r}, which is no kind of value.",
                f"Kinds: {', '.join(kinds.names)}; decimal with its digits, decimal(18,2). See docs/formats/values.md.",
            )
        column = seen.pop(name, None) or Column(name, is_unseen=True)
        columns.append(column._replace(given_type=given))
    return table._replace(columns=[*columns, *seen.values()])
