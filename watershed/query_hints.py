"""Hints for queries that Spark rejects, for common mistakes with Watershed's tables."""

from __future__ import annotations

import difflib
import re

from pyhive import hive

from watershed.server.client import QueryError, configured_schema, quote, run

# Texts, quoted names and comments: a semicolon inside them does not end the statement.
_NOT_CODE = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`|--[^\n]*|/\*.*?\*/", re.DOTALL)
_JSON_COLUMNS = ("row_image", "row_key")


def hint_of(cursor: hive.Cursor, statement: str, message: str) -> str:
    """Return the next step as a sentence; empty if Spark's message is sufficient.

    Args:
        cursor: A session on the server, to look tables up.
        statement: The query.
        message: The message of Spark.
    """
    if message.startswith("[TABLE_OR_VIEW_NOT_FOUND]"):
        return _hint_of_table(cursor, message)
    if message.startswith("[PARSE_SYNTAX_ERROR]") and ";" in _NOT_CODE.sub("", statement):
        return "A call runs one statement: run `watershed sql` once for each."
    return _hint_of_json(message) if "INVALID_EXTRACT" in message.split("]", 1)[0] else ""


def _hint_of_table(cursor: hive.Cursor, message: str) -> str:
    """Suggest the published table that was probably meant."""
    named = re.search(r"table or view ((?:`[^`]*`\.?)+)", message)
    if named is None:
        return ""
    *_, name = re.findall(r"`([^`]*)`", named[1])
    schema = configured_schema()
    try:
        tables = [row[1] for row in run(cursor, f"show tables in {quote(schema)}")[1]]
    except QueryError:
        return f"Schema {schema} does not exist: run dbt build, or set WATERSHED_SCHEMA."
    exact = [table for table in tables if table == name.lower()]
    close = exact or difflib.get_close_matches(name.lower(), tables, 3, 0.75)
    return f"Did you mean {' or '.join(f'{schema}.{table}' for table in close)}?" if close else ""


def _hint_of_json(message: str) -> str:
    """Explain how to read a column of a row image, which is text."""
    column = next((name for name in _JSON_COLUMNS if name in message), None)
    return (
        f"{column} is JSON text. Read a column of it as text with read_columns({column})['name'], or query the typed "
        "snapshot of the table."
        if column
        else ""
    )
