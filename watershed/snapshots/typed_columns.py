"""The column types in seeds/typed_columns.csv, for tables whose messages contain none."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from watershed.configuration import Problem, Row, read_rows
from watershed.snapshots.files import Kinds
from watershed.snapshots.seen import Column, Table
from watershed.sources import SEEDS, SEEDS_WITH_SAMPLES, SWITCH

COLUMNS = ["source_name", "table_name", "column_name", "type"]


def read_typed_columns(project_dir: Path) -> tuple[list[Row], list[Problem]]:
    """Read the file, a row per column, and the problems of single lines; a project may have no such file.

    Raises: WatershedError: it is not CSV, or has other columns.
    """
    path = project_dir / (SEEDS_WITH_SAMPLES if os.environ.get(SWITCH) else SEEDS) / "typed_columns.csv"
    if not path.exists():
        return [], []
    found, problems = read_rows(path, COLUMNS)
    rows: dict[tuple[str, ...], Row] = {}
    for row in found:
        empty = next((name for name in COLUMNS if not row.cells[name]), None)
        column = tuple(row.cells[name] for name in COLUMNS[:3])
        if empty:
            problems.append(_problem(row, f"{empty} is empty.", f"Expected {', '.join(COLUMNS)}."))
        elif column in rows:
            problem = f"column {column[2]!r} occurs twice, first in {rows[column].place}."
            problems.append(_problem(row, problem, "Keep one of the two lines."))
        else:
            rows[column] = row
    return list(rows.values()), problems


def with_given_types(tables: Sequence[Table], rows: Iterable[Row], kinds: Kinds) -> tuple[list[Table], list[Problem]]:
    """Return the tables with their columns in the order of the rows and of their types, others after them.

    Args:
        tables: The tables found in messages.
        rows: The rows of the seed; those of other tables are ignored.
        kinds: The value tables.

    Returns:
        The tables, and a problem for each type that is neither a kind nor one of the table's format.
    """
    given: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        given.setdefault((row.cells["source_name"], row.cells["table_name"]), []).append(row)
    typed, problems = [], []
    for table in tables:
        found = given.get((table.source_name, table.table_name), [])
        problems += _type_problems(table, found, kinds)
        typed.append(_typed(table, found))
    return typed, problems


def _type_problems(table: Table, rows: Iterable[Row], kinds: Kinds) -> list[Problem]:
    remedy = f"Kinds: {', '.join(kinds.names)}; decimal with its digits, decimal(18,2). See docs/formats/values.md."
    return [
        _problem(row, f"column {row.cells['column_name']!r} has unknown type {row.cells['type']!r}.", remedy)
        for row in rows
        if not kinds.is_type(row.cells["type"], kinds.family_of(table))
    ]


def _typed(table: Table, rows: Iterable[Row]) -> Table:
    seen = {column.name: column for column in table.columns}
    columns = []
    for row in rows:
        name = row.cells["column_name"]
        column = seen.pop(name, None) or Column(name, is_unseen=True)
        columns.append(column._replace(given_type=row.cells["type"]))
    return table._replace(columns=[*columns, *seen.values()])


def _problem(row: Row, problem: str, remedy: str) -> Problem:
    return Problem(row.place, row.cells["source_name"], problem, remedy)
