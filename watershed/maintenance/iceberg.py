"""Iceberg tables of builds: their old snapshots and files, and the removal through the server (docs/tables.md)."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Mapping
from pathlib import Path

from pyhive import hive

from watershed.maintenance.survey import Survey, sizes_in
from watershed.server.client import quote, run
from watershed.store import Location, relative

_DAY_SECONDS = 86400
# Files without a snapshot may belong to a commit in progress: Iceberg keeps them for this time.
_LEAST_DAYS = 1
# Including the files of all retained snapshots, of which the oldest is the first within the days, or the newest one.
_FILES = """
with kept as (
    select coalesce(min(committed_at), (select max(committed_at) from {table}.snapshots)) as since
    from {table}.snapshots
    where committed_at >= timestamp_seconds({limit})
),

replaced as (
    select entries.data_file.file_path, max(snapshots.committed_at) as replaced_at
    from {table}.all_entries as entries
    inner join {table}.snapshots as snapshots on entries.snapshot_id = snapshots.snapshot_id
    where entries.status = 2
    group by entries.data_file.file_path
)

select
    every.file_path,
    newest.file_path is not null as is_newest,
    newest.file_path is null and coalesce(replaced.replaced_at <= kept.since, false) as is_removable
from (select distinct file_path from {table}.all_files) as every
cross join kept
left join (select distinct file_path from {table}.files) as newest on every.file_path = newest.file_path
left join replaced on every.file_path = replaced.file_path
"""
_SIZE = """
select
    (select count(*) from {table}),
    (select count(*) from {table}.files),
    (select coalesce(sum(file_size_in_bytes), 0) from {table}.files),
    (select max(committed_at) from {table}.snapshots)
"""


def reads_iceberg(cursor: hive.Cursor) -> bool:
    """Return whether the server was started for Iceberg tables."""
    ((_, catalog),) = run(cursor, "set spark.sql.catalog.spark_catalog")[1]
    return "iceberg" in catalog


def without_views(cursor: hive.Cursor, folders: Mapping[str, Location]) -> dict[str, Location]:
    """Return the folders of tables: Iceberg keeps a folder of metadata for each view too."""
    schemas = {name.split(".", 1)[0] for name in folders}
    views = {f"{schema}.{row[1]}" for schema in schemas for row in run(cursor, f"show views in {quote(schema)}")[1]}
    return {name: folder for name, folder in folders.items() if name not in views}


def is_iceberg(cursor: hive.Cursor, table: str) -> bool:
    """Return whether a table is an Iceberg table."""
    return any(row[:2] == ("Provider", "iceberg") for row in run(cursor, f"describe extended {table}")[1])


def size_of(cursor: hive.Cursor, table: str) -> tuple[int, int, int, dt.datetime]:
    """Return the rows of a table, its files, their bytes and its last change."""
    ((rows, files, size, changed_at),) = run(cursor, _SIZE.format(table=table))[1]
    return rows, files, size, changed_at


def survey_iceberg(cursor: hive.Cursor, name: str, folder: Location, keep_days: int) -> Survey:
    """Look at the snapshots and the folder of a table: data files, and lists of rows in them that are gone."""
    rows = run(cursor, _FILES.format(table=_quoted(name), limit=_before(keep_days)))[1]
    named = {relative(Path(path.removeprefix("file:")), folder).as_posix(): row for path, *row in rows}
    on_disk = sizes_in(folder, (folder / "data").rglob("[!._]*"))
    newest = {path for path, (is_newest, _) in named.items() if is_newest}
    limit = _before(max(keep_days, _LEAST_DAYS))
    orphan_files = {path for path in on_disk.keys() - named.keys() if (folder / path).stat().st_mtime < limit}
    others = {path: size for path, size in on_disk.items() if path not in newest}
    return Survey(
        files=len(newest),
        size=sum(on_disk.get(path, 0) for path in newest),
        small=0,
        others=others,
        removable=frozenset(orphan_files | {path for path, (_, old) in named.items() if old}) & others.keys(),
    )


def expire_iceberg(cursor: hive.Cursor, name: str, keep_days: int) -> None:
    """Remove snapshots older than this many days with the files that only they need, and orphan files."""
    days = {"expire_snapshots": keep_days, "remove_orphan_files": max(keep_days, _LEAST_DAYS)}
    for procedure, kept in days.items():
        limit = f"timestamp_seconds({_before(kept)})"
        run(cursor, f"call spark_catalog.system.{procedure}(table => '{_quoted(name)}', older_than => {limit})")


def _before(days: int) -> int:
    """Return the time this many days ago in seconds since 1970."""
    return int(time.time()) - days * _DAY_SECONDS


def _quoted(name: str) -> str:
    return ".".join(map(quote, name.split(".", 1)))
