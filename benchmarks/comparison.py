"""Checks that both sides have the same changes and the same current rows, regardless of the text of images."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import duckdb
import msgspec

IDENTITY = ("database_name", "schema_name", "table_name", "sequence_number", "event_at")
CHANGE_TEXTS = (*IDENTITY, "change_type", "is_snapshot")
ROW_TEXTS = (*IDENTITY, "last_change_type")
OBJECTS = ("row_key", "row_image")
_ROWS_AT_ONCE = 50_000
_COLUMNS = msgspec.json.Decoder(dict[str, msgspec.Raw])


def same_rows(ours: str, theirs: str, texts: Sequence[str]) -> int:
    """Check that two queries return the same multiset of rows.

    Args:
        ours: FROM clause of our rows.
        theirs: FROM clause of the rows to compare with.
        texts: Columns that must have the same text; those in `OBJECTS` must have the same columns with the same number
            literals and the same strings, in any order and spelling.

    Returns: The number of common rows.

    Raises:
        ValueError: they differ; the message contains the number and examples of rows that only one side has.
    """
    our_digests, their_digests = _digests(ours, texts), _digests(theirs, texts)
    if our_digests == their_digests:
        return our_digests.total()
    only_ours, only_theirs = our_digests - their_digests, their_digests - our_digests
    raise ValueError(
        f"the results differ: {only_ours.total():,} rows of {our_digests.total():,} only in {ours}, "
        f"{only_theirs.total():,} rows of {their_digests.total():,} only in {theirs}\n"
        f"  for example ours:   {_example(ours, texts, only_ours)}\n"
        f"  for example theirs: {_example(theirs, texts, only_theirs)}"
    )


def parquet(path: Path) -> str:
    """Return the FROM clause of a Parquet file, or of all in a folder."""
    name = str(path / "*.parquet" if path.is_dir() else path)
    return "read_parquet('" + name.replace("'", "''") + "')"


def _digests(source: str, texts: Sequence[str]) -> Counter[bytes]:
    counts: Counter[bytes] = Counter()
    with duckdb.connect() as connection:
        cursor = _select(connection, source, texts)
        while rows := cursor.fetchmany(_ROWS_AT_ONCE):
            counts.update(_digest(row) for row in rows)
    return counts


def _example(source: str, texts: Sequence[str], wanted: Counter[bytes]) -> object:
    with duckdb.connect() as connection:
        cursor = _select(connection, source, texts)
        while rows := cursor.fetchmany(_ROWS_AT_ONCE):
            for row in rows:
                if _digest(row) in wanted:
                    return row
    return None


def _select(connection: duckdb.DuckDBPyConnection, source: str, texts: Sequence[str]) -> duckdb.DuckDBPyConnection:
    connection.execute("set timezone = 'UTC'")
    # Times without and with a time zone are the same UTC times, and have the same microseconds.
    columns = [f"cast(epoch_us({name}) as varchar)" if name == "event_at" else f"{name}::varchar" for name in texts]
    return connection.execute(f"select {', '.join([*columns, *OBJECTS])} from {source}")


def _digest(row: tuple[str | None, ...]) -> bytes:
    *texts, row_key, row_image = row
    parts = (texts, _canonical(row_key), _canonical(row_image))
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).digest()


def _canonical(text: str | None) -> object:
    """Return the columns of a JSON object sorted: strings decoded, everything else as its literal text."""
    if text is None:
        return None
    columns = _COLUMNS.decode(text)
    return sorted(
        (name, msgspec.json.decode(raw) if bytes(raw)[:1] == b'"' else bytes(raw)) for name, raw in columns.items()
    )
