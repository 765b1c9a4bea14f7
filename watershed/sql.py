"""`watershed sql`: runs a query on the server and prints its result."""

from __future__ import annotations

import base64
import datetime as dt
import decimal
import re
import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import msgspec
from pyhive import hive
from rich.cells import cell_len, set_cell_size

from watershed.home import find_home, find_project_dir
from watershed.query_hints import hint_of
from watershed.server.client import QueryError, quote, run
from watershed.server.connection import connect_to
from watershed.tables import OutputFormat, aligned, counted

WIDEST_CELL = 60
"""Columns of a terminal that one value takes in a table, unless all of it was asked for."""


class Layout(StrEnum):
    """How a table shows wide values: truncated, in full, or a line per column."""

    CUT = "cut"
    WIDE = "wide"
    EXPANDED = "expanded"


_NESTED = "json of "
"""Before the name of a column whose texts are JSON already."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def sql(statement: str, output_format: OutputFormat, layout: Layout = Layout.CUT) -> None:
    """Run a statement on the server of this home and print its rows.

    Args:
        statement: One SQL statement; a semicolon at its end is removed.
        output_format: How to print; binary values are Base64 in each of them.
        layout: How a table shows wide values; JSON and CSV always contain the whole value.

    Raises:
        WatershedError: no server answers, or Spark rejects the statement.
    """
    statement = statement.strip().removesuffix(";")
    with connect_to(find_home(find_project_dir())) as cursor:
        asked = statement
        if output_format in (OutputFormat.JSON, OutputFormat.JSONL):
            asked = with_nested_json(cursor, statement)
        try:
            names, rows = run(cursor, asked)
        except QueryError as error:
            raise QueryError(str(error), hint_of(cursor, statement, str(error))) from error
    if (names, rows) == (["Result"], []) and output_format is OutputFormat.TABLE:  # a statement without a result
        print("OK")
    elif names:
        sys.stdout.write(render(names, rows, output_format, layout))


def with_nested_json(cursor: hive.Cursor, statement: str) -> str:
    """Return the query with to_json around arrays, maps and structs, because the server's text of them is not JSON."""
    try:
        columns = run(cursor, f"describe query {statement}")[1]
    except QueryError:  # not a query (`show tables`), or an invalid one, which is reported when it runs
        return statement
    nested = {name for name, data_type, *_ in columns if data_type.startswith(("array<", "map<", "struct<"))}
    if not nested or len({name for name, *_ in columns}) < len(columns):
        return statement
    shown = [
        f"to_json({quote(name)}, map('ignoreNullFields', 'false')) as {quote(_NESTED + name)}"
        if name in nested
        else quote(name)
        for name, *_ in columns
    ]
    return f"select {', '.join(shown)} from ({statement}\n)"


def render(
    names: Sequence[str], rows: Sequence[Sequence[Any]], output_format: OutputFormat, layout: Layout = Layout.CUT
) -> str:
    """Return rows as text that ends in a line break."""
    if output_format in (OutputFormat.JSON, OutputFormat.JSONL):
        # A duplicate column name would lose a value: the last one wins, as in dbt and Spark's own to_json.
        encoder = msgspec.json.Encoder(decimal_format="number", enc_hook=str)
        plain = [name.removeprefix(_NESTED) for name in names]
        nested = [name.startswith(_NESTED) for name in names]
        lines = []
        for row in rows:
            values = (msgspec.Raw(cell) if at and cell else cell for cell, at in zip(row, nested, strict=True))
            lines.append(encoder.encode(dict(zip(plain, values, strict=True))).decode())
        return "\n".join([*lines, ""]) if output_format is OutputFormat.JSONL else "[" + ",\n ".join(lines) + "]\n"
    if output_format is OutputFormat.CSV:
        return "".join(",".join(map(_csv_cell, row)) + "\n" for row in (names, *rows))
    return _table([_CONTROL.sub(_escaped, name) for name in names], rows, layout)


def _table(names: Sequence[str], rows: Sequence[Sequence[Any]], layout: Layout) -> str:
    cells = [[_cell(value) for value in row] for row in rows]
    count = f"({counted(len(rows), 'row')})"
    if layout is Layout.EXPANDED:
        return "".join(_record(number, names, row) for number, row in enumerate(cells, 1)) + f"{count}\n"
    shown = [[_cut(cell) for cell in row] for row in cells] if layout is Layout.CUT else cells
    numbers = [
        index
        for index in range(len(names))
        if any(_is_number(row[index]) for row in rows) and all(_is_number(row[index], or_null=True) for row in rows)
    ]
    if shown != cells:
        count += "\nLong values are truncated: --wide prints them in full, --expanded prints a line per column."
    return aligned(names, shown, right=numbers) + f"\n{count}\n"


def _cut(cell: str) -> str:
    """Return each line of a cell in at most WIDEST_CELL columns of a terminal."""
    return "\n".join(
        line if cell_len(line) <= WIDEST_CELL else set_cell_size(line, WIDEST_CELL - 1).rstrip() + "…"
        for line in cell.split("\n")
    )


def _record(number: int, names: Sequence[str], row: Sequence[str]) -> str:
    """Return a row as a line per column."""
    width = max(map(cell_len, names))
    lines = [
        f"{name}{' ' * (width - cell_len(name))} | {line}" if not place else f"{' ' * width} | {line}"
        for name, cell in zip(names, row, strict=True)
        for place, line in enumerate(cell.split("\n"))
    ]
    return "\n".join([f"- row {number} ".ljust(width + 3, "-"), *lines, ""])


def _cell(value: object) -> str:
    """Return a table cell: NULL for null (a text NULL is quoted), control characters as escapes."""
    if value is None:
        return "NULL"
    if value == "NULL":
        return '"NULL"'
    return _CONTROL.sub(_escaped, _plain(value))


def _csv_cell(value: object) -> str:
    """Return a CSV cell: empty for null, quotes for an empty text."""
    if value is None:
        return ""
    text = _plain(value)
    return '"' + text.replace('"', '""') + '"' if text == "" or re.search(r'[",\r\n]', text) else text


def _plain(value: object) -> str:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, decimal.Decimal):
        return f"{value:f}"
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ")
    return str(value)


def _is_number(value: object, or_null: bool = False) -> bool:
    return (or_null and value is None) or (
        isinstance(value, int | float | decimal.Decimal) and not isinstance(value, bool)
    )


def _escaped(match: re.Match[str]) -> str:
    return f"\\x{ord(match[0]):02x}"
