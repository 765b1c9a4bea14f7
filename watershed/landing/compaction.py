"""Compaction of landing: merges small files in landing order (ADR 0019).

It uses neither delta-rs's compaction, which writes all messages of a file into one row group of any size, nor Spark,
whose commits could conflict with those of `watershed land`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable

from watershed.home import Home
from watershed.landing.delta_files import FILE_BYTES, OvertakenError, Written, append, as_watershed_error
from watershed.landing.delta_reads import add_actions
from watershed.landing.tables import (
    BYTES_AT_ONCE,
    FILES_SCHEMA,
    FILES_STATISTICS,
    MESSAGES_SCHEMA,
    MESSAGES_STATISTICS,
    ROWS_AT_ONCE,
    ensure_landing_tables,
)
from watershed.lock import waiting_lock
from watershed.store import Location, readable

SMALL_BYTES = FILE_BYTES // 2
# Fewer small files of a partition are left unchanged, otherwise each call would rewrite the last large file.
FEWEST = 8


@dataclass(frozen=True)
class Landed:
    """A table of landing that is compacted."""

    path: Location
    schema: pa.Schema
    statistics: Sequence[str]
    partition_column: str | None = None


def landed_tables(home: Home) -> dict[str, Landed]:
    """Return the tables of landing that get a new file with each batch."""
    return {
        "landing.messages": Landed(home.messages, MESSAGES_SCHEMA, MESSAGES_STATISTICS, "format"),
        "landing.files": Landed(home.files, FILES_SCHEMA, FILES_STATISTICS),
    }


def to_compact(table: DeltaTable) -> list[list[Written]]:
    """Return groups of small files to merge, each of one partition and in landing order."""
    (column, *_) = [*table.metadata().partition_columns, None]
    small = [add for add in add_actions(table) if add["size_bytes"] < SMALL_BYTES]
    # Batch ids begin with their time.
    small.sort(key=lambda add: (str(add.get(f"partition.{column}")), str(add.get("min.batch_id")), add["path"]))
    groups: list[list[Written]] = []
    for partition, adds in groupby(small, key=lambda add: add.get(f"partition.{column}")):
        files = [_written(add, partition) for add in adds]
        if len(files) >= FEWEST:
            groups += _cut(files)
    return [group for group in groups if len(group) > 1]


def compact(home: Home, table: Landed, on_wait: Callable[[str], None]) -> None:
    """Compact small files, with a commit for each group; the landing lock is released between groups."""
    ensure_landing_tables(home, on_wait)  # what is written has all columns
    if (
        DeltaTable(str(table.path)).protocol().min_reader_version > 1
    ):  # some rows may be deleted, which only Spark can evaluate
        return
    for group in to_compact(DeltaTable(str(table.path))):
        with as_watershed_error(home), waiting_lock(home.landing_lock, on_wait):
            check = partial(_check_not_compacted, group)
            with contextlib.suppress(OvertakenError):
                check(DeltaTable(str(table.path)))
                rows = _row_groups(table, group)
                # The landing lock belongs to one home; on a shared store another machine may do the same.
                is_done = check if home.store else None
                append(home, table.path, rows, table.statistics, table.partition_column, None, group, is_done)


def _check_not_compacted(group: Sequence[Written], table: DeltaTable) -> bool:
    """Raise if another call, or an earlier try of this one, has already compacted the files."""
    if not {add["path"] for add in add_actions(table)}.issuperset(file.path for file in group):
        raise OvertakenError
    return False


def _written(add: dict[str, Any], partition: str | None) -> Written:
    return Written(add["path"], add["size_bytes"], partition, add["modification_time"])


def _cut(files: Sequence[Written]) -> Iterator[list[Written]]:
    """Split files into groups of the size of one output file."""
    group: list[Written] = []
    size = 0
    for file in files:
        if group and size + file.size > FILE_BYTES:
            yield group
            group, size = [], 0
        group.append(file)
        size += file.size
    yield group


def _row_groups(table: Landed, files: Sequence[Written]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of files in pieces of the row group size of `watershed land`."""
    pieces: list[pa.Table] = []
    rows = size = 0
    for piece in _read(table, files):
        if pieces and (rows + piece.num_rows > ROWS_AT_ONCE or size + piece.nbytes > BYTES_AT_ONCE):
            yield from pa.concat_tables(pieces).combine_chunks().to_batches()
            pieces, rows, size = [], 0, 0
        pieces.append(piece)
        rows += piece.num_rows
        size += piece.nbytes
    yield from pa.concat_tables(pieces).combine_chunks().to_batches()


def _read(table: Landed, files: Sequence[Written]) -> Iterator[pa.Table]:
    """Yield the row groups of files with the partition column, which only some files of Spark contain."""
    columns = [name for name in table.schema.names if name != table.partition_column]
    for file in files:
        # Spark writes times as INT96; distant years overflow nanoseconds.
        parquet = pq.ParquetFile(readable(table.path / unquote(file.path)), coerce_int96_timestamp_unit="us")
        for number in range(parquet.num_row_groups):
            piece = parquet.read_row_group(number, columns, use_threads=False)
            if table.partition_column:
                names = pa.array([file.partition] * piece.num_rows, pa.string())
                piece = piece.append_column(table.partition_column, names)
            for field in table.schema:
                if field.name not in piece.schema.names:  # written before the table had the column
                    piece = piece.append_column(field, pa.nulls(piece.num_rows, field.type))
            yield piece.select(table.schema.names).cast(table.schema)
