"""Appends to Delta tables without a JVM, in files and row groups of bounded size.

The files are written here, because the writer of delta-rs collects 8,192 rows of any size and fails beyond 2 GiB. The
commit is delta-rs's. A list of unfinished files survives a kill, so that the next call removes files without a commit.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import CommitProperties, DeltaTable
from deltalake.exceptions import CommitFailedError
from deltalake.transaction import AddAction, RemoveAction

from watershed.errors import WatershedError
from watershed.home import Home
from watershed.store import Location, location, relative

FILE_BYTES = 128 * 1024 * 1024
_OS_ERROR = re.compile(r"os error (\d+)")
_MAX_REASON_CHARACTERS = 200
# Each failed try means a commit of another process.
_CHECKED_TRIES = 100


class OvertakenError(Exception):
    """A concurrent commit of another machine invalidates this commit."""


@dataclass(frozen=True)
class Written:
    """A file of a table, as named in the table's log."""

    path: str
    size: int
    partition: str | None
    modified_millis: int


def append(
    home: Home,
    table: Location,
    batches: Iterable[pa.RecordBatch],
    statistics_columns: Iterable[str],
    partition_column: str | None = None,
    metadata: dict[str, str] | None = None,
    instead_of: Sequence[Written] = (),
    is_done: Callable[[DeltaTable], bool] | None = None,
) -> None:
    """Append batches to a table in one commit; each becomes a row group. The landing lock must be held.

    Args:
        home: The home with the list of unfinished files.
        table: The folder of the table.
        batches: The rows, grouped by partition.
        statistics_columns: Columns without nulls whose minimum and maximum the commit contains.
        partition_column: A column with one value per batch, if the table is partitioned by it.
        metadata: Further metadata of the commit.
        instead_of: Files with the same rows, which the commit removes; it then changes no data, and the new files keep
            the age of the old ones.
        is_done: Called with the current version of the table, to which the commit is bound: returns whether an earlier
            try without an answer was committed. It raises OvertakenError if the commit became invalid.
    """
    remove_unfinished(home)
    try:
        _append(home, table, batches, list(statistics_columns), partition_column, metadata, instead_of, is_done)
    except BaseException:  # Ctrl-C too; here, because the list belongs to the holder of the lock
        with contextlib.suppress(Exception):
            remove_unfinished(home)
        raise


def _append(
    home: Home,
    table: Location,
    batches: Iterable[pa.RecordBatch],
    statistics_columns: list[str],
    partition_column: str | None,
    metadata: dict[str, str] | None,
    instead_of: Sequence[Written],
    is_done: Callable[[DeltaTable], bool] | None,
) -> None:
    files: list[_File] = []
    for batch in batches:
        partition = batch[partition_column][0].as_py() if partition_column else None
        if not files or files[-1].partition != partition or files[-1].size > FILE_BYTES:
            if files:
                files[-1].close()
            path = _new_path(table, partition_column, partition)
            _write_note(home, [file.path for file in files] + [path])
            files.append(_File(path, partition, statistics_columns))
        files[-1].write(batch.drop_columns([partition_column]) if partition_column else batch)
    if files:
        files[-1].close()
    partitions = [{partition_column: file.partition} if partition_column else {} for file in instead_of]
    actions: list[AddAction | RemoveAction] = [
        *(file.added_to(table, partition_column, instead_of) for file in files),
        *(
            RemoveAction(file.path, False, _now_millis(), file.size, partition)
            for file, partition in zip(instead_of, partitions, strict=True)
        ),
    ]
    partition_by = [partition_column] if partition_column else None
    properties = CommitProperties(custom_metadata=metadata, max_commit_retries=0 if is_done else None)
    for tries_left in reversed(range(_CHECKED_TRIES if is_done else 1)):
        newest = DeltaTable(str(table))
        if is_done and is_done(newest):
            break
        try:
            newest.create_write_transaction(
                actions, "append", newest.schema(), partition_by=partition_by, commit_properties=properties
            )
            break
        except CommitFailedError:  # another commit came first
            if not tries_left:
                raise
    home.unfinished.unlink()


def remove_unfinished(home: Home) -> None:
    """Remove the files of a call that was killed or failed before its commit. The landing lock must be held."""
    try:
        paths = [location(path) for path in json.loads(home.unfinished.read_text(encoding="utf-8"))]
    except FileNotFoundError:
        return
    except ValueError:  # killed while the list was written, before its files
        paths = []
    for table in {path.parents[path.parent.name.count("=")] for path in paths if path.is_file()}:
        known = "\n".join(DeltaTable(str(table)).file_uris())
        known += "".join(commit.read_text(encoding="utf-8") for commit in (table / "_delta_log").glob("*.json"))
        for path in paths:
            if table in path.parents and path.name not in known:
                path.unlink(missing_ok=True)
    home.unfinished.unlink()


@contextlib.contextmanager
def as_watershed_error(home: Home) -> Iterator[None]:
    """Convert errors of the file system and delta-rs into the error that is printed."""
    try:
        yield
    except (WatershedError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # exceptions of Rust have types of their own, and its panic is not an Exception
        raise WatershedError(
            f"The tables in {home.messages.parent} cannot be read or written: {reason_of(error)}.",
            "Check permissions and free space, then run the command again; files already landed are skipped.",
        ) from error


def reason_of(error: BaseException) -> str:
    """Return the reason in a few words, without the backtrace that Rust may add."""
    number = error.errno if isinstance(error, OSError) else None
    found = _OS_ERROR.search(str(error))
    if number is None and found:
        number = int(found[1])
    if number is not None:
        return os.strerror(number)
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0][:_MAX_REASON_CHARACTERS].rstrip(".")


class _File:
    """A Parquet file being written, with its metadata for the commit."""

    def __init__(self, path: Location, partition: str | None, statistics_columns: list[str]) -> None:
        self.path, self.partition, self.size = path, partition, 0
        self._columns = statistics_columns
        self._rows = 0
        # Spark skips a file only if the null counts are known too.
        self._nulls = dict.fromkeys(statistics_columns, 0)
        self._least: dict[str, Any] = {}
        self._greatest: dict[str, Any] = {}
        self._writer: pq.ParquetWriter | None = None

    def write(self, batch: pa.RecordBatch) -> None:
        if self._writer is None:
            self.path.parent.mkdir(exist_ok=True)
            self._sink = self.path.open("wb")
            # A dictionary only where values repeat.
            options = {"compression": "snappy", "use_dictionary": self._columns, "write_statistics": self._columns}
            self._writer = pq.ParquetWriter(self._sink, batch.schema, **options)
        self._writer.write_batch(batch, row_group_size=max(1, batch.num_rows))
        self._rows += batch.num_rows
        self.size = self._sink.tell()
        for name in self._columns:
            self._nulls[name] += batch[name].null_count
            values = [value for value in batch[name].unique().to_pylist() if value is not None]
            if values:
                self._least[name] = min([*values, self._least.get(name, values[0])])
                self._greatest[name] = max([*values, self._greatest.get(name, values[0])])

    def close(self) -> None:
        assert self._writer is not None
        self._writer.close()
        if isinstance(self.path, Path):
            self._sink.flush()
            os.fsync(self._sink.fileno())
        self._sink.close()
        self.size = self.path.stat().st_size

    def added_to(self, table: Location, partition_column: str | None, instead_of: Sequence[Written]) -> AddAction:
        ranges = {"minValues": self._least, "maxValues": self._greatest, "nullCount": self._nulls}
        return AddAction(
            path=relative(self.path, table).as_posix(),
            size=self.size,
            partition_values={partition_column: self.partition} if partition_column else {},
            modification_time=max((file.modified_millis for file in instead_of), default=_now_millis()),
            data_change=not instead_of,
            stats=json.dumps({"numRecords": self._rows} | ranges, default=_time_text),
        )


def _now_millis() -> int:
    return time.time_ns() // 1_000_000


def _time_text(value: dt.datetime) -> str:
    return value.astimezone(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _new_path(table: Location, partition_column: str | None, partition: str | None) -> Location:
    name = f"part-00000-{os.urandom(16).hex()}-c000.snappy.parquet"
    return table / f"{partition_column}={partition}" / name if partition_column else table / name


def _write_note(home: Home, paths: list[Location]) -> None:
    home.unfinished.parent.mkdir(parents=True, exist_ok=True)
    home.unfinished.write_text(json.dumps([str(path) for path in paths]), encoding="utf-8")
