"""`watershed sql`: runs a query on the server and prints what it gives."""

from __future__ import annotations

import base64
import datetime as dt
import decimal
import re
import sys
from collections.abc import Sequence
from typing import Any

import msgspec
from pyhive import hive

from watershed.client import QueryError, configured_host, configured_port, connect, quote, run
from watershed.tables import OutputFormat, aligned

_NESTED = "json of "
"""Before the name of a column whose texts are JSON already."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def sql(statement: str, output_format: OutputFormat) -> None:
    """Run a statement on the server of WATERSHED_HOST and WATERSHED_PORT and print its rows.

    Args:
        statement: One SQL statement; a semicolon at its end is left out.
        output_format: How to print; binary values are Base64 in each of them.

    Raises:
        WatershedError: no server answers, or Spark refuses the statement.
    """
    statement = statement.strip().removesuffix(";")
    with connect(configured_host(), configured_port()) as cursor:
        if output_format in (OutputFormat.JSON, OutputFormat.JSONL):
            statement = with_nested_json(cursor, statement)
        names, rows = run(cursor, statement)
    if (names, rows) == (["Result"], []) and output_format is OutputFormat.TABLE:  # a statement without a table
        print("OK")
    elif names:
        sys.stdout.write(render(names, rows, output_format))


def with_nested_json(cursor: hive.Cursor, statement: str) -> str:
    """Return the query with to_json around arrays, maps and structs: the server's own text of them is no JSON."""
    try:
        columns = run(cursor, f"describe query {statement}")[1]
    except QueryError:  # no query (`show tables`), or one that is wrong, which is told when it is run
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


def render(names: Sequence[str], rows: Sequence[Sequence[Any]], output_format: OutputFormat) -> str:
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
    numbers = [
        index
        for index in range(len(names))
        if any(_is_number(row[index]) for row in rows) and all(_is_number(row[index], or_null=True) for row in rows)
    ]
    cells = [[_cell(value) for value in row] for row in rows]
    count = f"({len(rows):,} row{'' if len(rows) == 1 else 's'})"
    return aligned([_CONTROL.sub(_escaped, name) for name in names], cells, right=numbers) + f"\n{count}\n"


def _cell(value: object) -> str:
    """Return a table cell: NULL for null (a text NULL stands in quotes), control characters as escapes."""
    if value is None:
        return "NULL"
    if value == "NULL":
        return '"NULL"'
    return _CONTROL.sub(_escaped, _plain(value))


def _csv_cell(value: object) -> str:
    """Return a CSV cell: nothing at all for null, quotes around an empty text."""
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
    return (or_null and value is None) or (isinstance(value, int | float | decimal.Decimal) and value is not True)


def _escaped(match: re.Match[str]) -> str:
    return f"\\x{ord(match[0]):02x}"
