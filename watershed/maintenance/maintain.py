"""`watershed maintain`: compacts small files of landing and removes old files of all tables (ADR 0019)."""

from __future__ import annotations

import contextlib
from collections.abc import Container, Iterator, Mapping

from deltalake import DeltaTable
from pyhive import hive

from watershed.home import Home, find_home, find_project_dir
from watershed.landing.compaction import compact, landed_tables
from watershed.landing.delta_files import as_watershed_error, remove_unfinished
from watershed.lock import waiting_lock
from watershed.maintenance.iceberg import expire_iceberg, reads_iceberg, survey_iceberg, without_views
from watershed.maintenance.survey import Survey, built_tables, is_delta, survey
from watershed.server.client import connect, quote, run
from watershed.server.connection import host_of, server_of
from watershed.store import Location
from watershed.tables import aligned, counted
from watershed.texts import print_to_stderr

_NO_SERVER = (
    "Old files of dbt's tables are kept: only a server can remove them, and none runs on this home.\n"
    "  Remove them with: watershed with-server watershed maintain"
)
_SERVER_OF_DELTA = (
    "Old files of Iceberg tables are kept: the server of this home was started for Delta tables.\n"
    "  Start it with WATERSHED_FILE_FORMAT=iceberg, which reads both."
)


def maintain(is_dry_run: bool, keep_days: int) -> None:
    """Compact small files, remove those older than `keep_days`, and print a row for each table.

    Raises: WatershedError: a table cannot be read or written; the tables before it are finished.
    """
    home = find_home(find_project_dir())
    landing = {name: table for name, table in _landing(home).items() if is_delta(table)}
    built, of_iceberg = built_tables(home, "_delta_log"), built_tables(home, "metadata")
    if not landing | built | of_iceberg:
        print(f"There is no table yet in {home.root}.")
        return
    with _server_of(home) as cursor:
        seen = without_views(cursor, of_iceberg) if cursor and reads_iceberg(cursor) else {}

        def look() -> dict[str, Survey]:
            with as_watershed_error(home):
                of_delta = {name: survey(path, keep_days) for name, path in (landing | built).items() if is_delta(path)}
            return of_delta | {name: survey_iceberg(cursor, name, path, keep_days) for name, path in seen.items()}

        before = look()
        if is_dry_run:
            _print_plan(before, landed_tables(home), keep_days)
        else:
            _maintain_landing(home, landing, keep_days)
            if cursor:
                _vacuum(cursor, {name: path for name, path in built.items() if before[name].removable}, keep_days)
                for name in seen:
                    expire_iceberg(cursor, name, keep_days)
            _print_result(before, look())
    if cursor is None and built | of_iceberg:
        print(_NO_SERVER)
    elif of_iceberg and not seen:
        print(_SERVER_OF_DELTA)


@contextlib.contextmanager
def _server_of(home: Home) -> Iterator[hive.Cursor | None]:
    """Yield a session on the server of the home; None if none runs."""
    server = server_of(home)
    if server is None:
        yield None
        return
    with connect(host_of(server), int(server.get("port") or 0)) as cursor:
        yield cursor


def _print_plan(surveys: Mapping[str, Survey], compacted: Container[str], keep_days: int) -> None:
    header = ["table", "files", "bytes", "to compact", "old files", "bytes", "to remove", "bytes"]
    rows = []
    for name, found in surveys.items():
        old, removed = sum(found.others.values()), sum(found.others[path] for path in found.removable)
        small = found.small if name in compacted else 0
        counts = [found.files, found.size, small, len(found.others), old, len(found.removable), removed]
        rows.append([name, *(f"{count:,}" for count in counts)])
    print("Dry run, nothing was changed. Pending work:")
    print(aligned(header, rows, right=range(1, 8)))
    print(f"Old files are not part of the current table version and are deleted after {counted(keep_days, 'day')}.")


def _print_result(before: Mapping[str, Survey], after: Mapping[str, Survey]) -> None:
    header = ["table", "files before", "files", "bytes", "removed files", "bytes", "old files", "bytes"]
    rows = []
    for name, found in after.items():
        removed = [size for path, size in before[name].others.items() if path not in found.others]
        counts = [before[name].files, found.files, found.size, len(removed), sum(removed)]
        counts += [len(found.others), sum(found.others.values())]
        rows.append([name, *(f"{count:,}" for count in counts)])
    print(aligned(header, rows, right=range(1, 8)))


def _landing(home: Home) -> dict[str, Location]:
    return {"landing.messages": home.messages, "landing.files": home.files, "landing.avro_schemas": home.avro_schemas}


def _maintain_landing(home: Home, tables: Mapping[str, Location], keep_days: int) -> None:
    for name, table in landed_tables(home).items():
        if name in tables:
            compact(home, table, print_to_stderr)
    for path in tables.values():
        with as_watershed_error(home), waiting_lock(home.landing_lock, print_to_stderr):
            remove_unfinished(home)
            if survey(path, keep_days).removable:
                DeltaTable(str(path)).vacuum(keep_days * 24, dry_run=False, full=True, enforce_retention_duration=False)


def _vacuum(cursor: hive.Cursor, tables: Mapping[str, Location], keep_days: int) -> None:
    """Remove old files of the tables that dbt builds; the builds compact them."""
    # Delta would take no less than a week.
    run(cursor, "set spark.databricks.delta.retentionDurationCheck.enabled = false")
    for path in tables.values():
        run(cursor, f"vacuum delta.{quote(str(path))} retain {keep_days * 24} hours")
