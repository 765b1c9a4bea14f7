"""`watershed maintain`: small files of landing are put together, old files of all tables removed (ADR 0019)."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from deltalake import DeltaTable

from watershed.client import connect, quote, run
from watershed.compaction import compact, landed_tables, to_compact
from watershed.delta_files import remove_unfinished, told_in_a_sentence
from watershed.home import Home, find_home, find_project_dir
from watershed.landing import add_actions
from watershed.lock import waiting_lock
from watershed.status import host_of, server_of
from watershed.tables import aligned, counted

_NO_SERVER = (
    "Old files of the tables of dbt stay: only a server may remove them, and none runs on this home.\n"
    "  Remove them with: watershed with-server watershed maintain"
)


@dataclass(frozen=True)
class Survey:
    """The data files of a table: those of its newest version, how many of them are small, and others with sizes."""

    files: int
    size: int
    small: int
    others: Mapping[str, int]
    removable: frozenset[str]


def maintain(is_dry_run: bool, keep_days: int) -> None:
    """Put small files together and remove old ones, and print a row for each table.

    Args:
        is_dry_run: Tell what would be done, and do nothing.
        keep_days: Files that were needed in the last so many days stay, for who still reads an older version.

    Raises:
        WatershedError: a table cannot be read or written; those before it are done.
    """
    home = find_home(find_project_dir())
    landing = {name: table for name, table in _landing(home).items() if _is_table(table)}
    built = {
        f"{log.parent.parent.name.removesuffix('.db')}.{log.parent.name}": log.parent
        for log in sorted(home.warehouse.glob("*.db/*/_delta_log"))
    }
    if not landing | built:
        print(f"There is no table yet in {home.root}.")
        return
    before = _surveys(home, landing | built, keep_days)
    server = server_of(home)
    if is_dry_run:
        _print_plan(before, keep_days)
    else:
        _maintain_landing(home, landing, keep_days)
        if server:
            _vacuum_built(server, built, before, keep_days)
        _print_result(before, _surveys(home, landing | built, keep_days))
    if built and not server:
        print(_NO_SERVER)


def _surveys(home: Home, tables: Mapping[str, Path], keep_days: int) -> dict[str, Survey]:
    with told_in_a_sentence(home):
        return {name: survey(path, keep_days) for name, path in tables.items() if _is_table(path)}


def survey(path: Path, keep_days: int) -> Survey:
    """Look at a table's log and folder."""
    table = DeltaTable(path)
    adds = {unquote(add["path"]): add["size_bytes"] for add in add_actions(table)}
    on_disk = {
        file.relative_to(path).as_posix(): _size_of(file)
        for file in path.rglob("[!._]*.parquet")
        if "_delta_log" not in file.relative_to(path).parts
    }
    others = {name: size for name, size in on_disk.items() if name not in adds}
    removable = table.vacuum(keep_days * 24, dry_run=True, full=True, enforce_retention_duration=False)
    return Survey(
        files=len(adds),
        size=sum(adds.values()),
        small=sum(map(len, to_compact(table))),
        others=others,
        removable=frozenset(map(unquote, removable)) & others.keys(),
    )


def _size_of(file: Path) -> int:
    with contextlib.suppress(FileNotFoundError):  # removed by somebody else meanwhile
        return file.stat().st_size
    return 0


def _print_plan(surveys: Mapping[str, Survey], keep_days: int) -> None:
    header = ["table", "files", "bytes", "to put together", "old files", "bytes", "to remove", "bytes"]
    rows = []
    for name, found in surveys.items():
        old, removed = sum(found.others.values()), sum(found.others[path] for path in found.removable)
        counts = [found.files, found.size, found.small, len(found.others), old, len(found.removable), removed]
        rows.append([name, *(f"{count:,}" for count in counts)])
    print("Nothing was changed. What would be done:")
    print(aligned(header, rows, right=range(1, 8)))
    print(
        f"Old files are in no newest version; they are removed when they have been so for {counted(keep_days, 'day')}."
    )


def _print_result(before: Mapping[str, Survey], after: Mapping[str, Survey]) -> None:
    header = ["table", "files before", "files", "bytes", "removed files", "bytes", "old files", "bytes"]
    rows = []
    for name, found in after.items():
        removed = [size for path, size in before[name].others.items() if path not in found.others]
        counts = [before[name].files, found.files, found.size, len(removed), sum(removed)]
        counts += [len(found.others), sum(found.others.values())]
        rows.append([name, *(f"{count:,}" for count in counts)])
    print(aligned(header, rows, right=range(1, 8)))


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _landing(home: Home) -> dict[str, Path]:
    return {
        "landing.messages": home.messages,
        "landing.files": home.files,
        "landing.avro_schemas": home.avro_schemas,
    }


def _is_table(path: Path) -> bool:
    return bool(DeltaTable.is_deltatable(str(path)))


def _maintain_landing(home: Home, tables: Mapping[str, Path], keep_days: int) -> None:
    for name, table in landed_tables(home).items():
        if name in tables:
            compact(home, table, _tell)
    for path in tables.values():
        with told_in_a_sentence(home), waiting_lock(home.landing_lock, _tell):
            remove_unfinished(home)
            if survey(path, keep_days).removable:
                DeltaTable(path).vacuum(keep_days * 24, dry_run=False, full=True, enforce_retention_duration=False)


def _vacuum_built(server: dict[str, Any], tables: Mapping[str, Path], before: Mapping[str, Survey], days: int) -> None:
    """Remove old files of the tables of dbt; their small ones its builds put together."""
    with connect(host_of(server), int(server.get("port") or 0)) as cursor:
        # Delta would take no less than a week.
        run(cursor, "set spark.databricks.delta.retentionDurationCheck.enabled = false")
        for name, path in tables.items():
            if before[name].removable:
                run(cursor, f"vacuum delta.{quote(str(path))} retain {days * 24} hours")
