"""Reads of the Delta tables of landing without a JVM: few columns, and only of files that may contain a value."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable

from watershed.store import Location, readable


def add_actions(table: DeltaTable) -> list[dict[str, Any]]:
    """Return the table's data files as rows: path, statistics (`min.<column>`, `max.<column>`)."""
    rows: list[dict[str, Any]] = pa.table(table.get_add_actions(flatten=True)).to_pylist()
    return rows


def may_hold(add: dict[str, Any], column: str, wanted: Iterable[str]) -> bool:
    """Return from a data file's statistics whether it may contain one of the values; true without statistics."""
    low, high = add.get(f"min.{column}"), add.get(f"max.{column}")
    return any(low is None or high is None or low <= value <= high for value in wanted)


def read_columns(table: Location, add: dict[str, Any], columns: list[str]) -> pa.Table:
    """Return columns of a data file; one that the table did not have when the file was written is left out."""
    # Not as a pyarrow dataset: its threads sometimes abort the process at its end.
    return pq.ParquetFile(readable(table / unquote(add["path"]))).read(columns=columns, use_threads=False)


def read_rows(table: Location, columns: list[str]) -> list[dict[str, Any]]:
    """Return some columns of a whole small Delta table as rows; null where a file has no such column yet."""
    rows: list[dict[str, Any]] = []
    for add in add_actions(DeltaTable(str(table))):
        rows += rows_of(table, add, columns)
    return rows


def rows_of(table: Location, add: dict[str, Any], columns: list[str]) -> list[dict[str, Any]]:
    """Return columns of a data file as rows; null where the file has no such column yet."""
    empty = dict.fromkeys(columns)
    return [empty | row for row in read_columns(table, add, columns).to_pylist()]


def present_batches(messages: Location, adds: list[dict[str, Any]], batch_ids: Collection[str]) -> set[str]:
    """Return those of the batches that are in landing.messages, from statistics where they are enough.

    A rewritten file may contain several batches; only then its batch_id column is read.
    """
    wanted = set(batch_ids)
    present: set[str] = set()
    mixed = []
    for add in adds:
        low, high = add.get("min.batch_id"), add.get("max.batch_id")
        if low is not None and low == high:
            present.add(low)
        else:
            mixed.append(add)
    for add in mixed:
        if may_hold(add, "batch_id", wanted - present):
            present.update(read_columns(messages, add, ["batch_id"])["batch_id"].unique().to_pylist())
    return present & wanted
