"""The tables found in messages, from the model seen_columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import msgspec
from pyhive import hive

from watershed.errors import WatershedError
from watershed.server.client import QueryError, run


class Refused(msgspec.Struct):
    """A type that does not fit into the type of a column, which keeps its type."""

    change: str
    type: str


class Column(NamedTuple):
    """A column with its widest type in messages, and its position if a message lists the columns in order."""

    name: str
    type: str | None = None
    position: int | None = None
    is_key: bool = False
    refused: Sequence[Refused] = ()
    default: str | None = None
    aliases: Sequence[str] = ()
    given_type: str | None = None
    """Type in seeds/typed_columns.csv, which overrides the one in messages."""
    is_unseen: bool = False
    """No message has the column, only that file."""


class Table(NamedTuple):
    """A table of a source with its columns in the source's order; if that is unknown, the key comes first."""

    source_name: str
    format: str
    database_name: str | None
    schema_name: str | None
    table_name: str
    columns: Sequence[Column]
    message_id: str | None = None
    """The greatest `id` of its Canal messages."""


_QUERY = """
select
    source_name, format, database_name, schema_name, table_name, message_id,
    column_name, source_type, column_position, is_key, to_json(refused_types), default_value, to_json(aliases)
from `{schema}`.seen_columns
"""


def read_tables(cursor: hive.Cursor, schema: str) -> list[Table]:
    """Query all tables.

    Raises:
        WatershedError: the schema has no model seen_columns.
    """
    try:
        _, rows = run(cursor, _QUERY.format(schema=schema.replace("`", "``")))
    except QueryError as error:
        raise WatershedError(
            f"Schema {schema!r} has no model seen_columns: {str(error).splitlines()[0]}",
            "Build it with `dbt build`, or set WATERSHED_SCHEMA to the schema that was built.",
        ) from error
    return tables_of(rows)


def tables_of(rows: Iterable[Sequence[Any]]) -> list[Table]:
    """Return the tables of some rows of the query, in the order of their names."""
    places = sorted(rows, key=lambda row: [name or "" for name in row[:5]])
    tables = []
    for (*place, message_id), columns in groupby(places, lambda row: tuple(row[:6])):
        tables.append(Table._make([*place, _in_order([_column(row) for row in columns]), message_id]))
    return tables


def _column(row: Sequence[Any]) -> Column:
    name, source_type, position, is_key, refused, default, aliases = row[6:]
    return Column(
        name,
        source_type,
        position,
        is_key,
        msgspec.json.decode(refused or "[]", type=list[Refused]),
        default,
        msgspec.json.decode(aliases or "[]", type=list[str]),
    )


def _in_order(columns: list[Column]) -> list[Column]:
    """Columns that the newest message does not list follow those that it lists."""
    last = len(columns) + 1
    return sorted(columns, key=lambda column: (column.position or last, not column.is_key, column.name))
