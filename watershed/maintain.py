"""`watershed maintain`: small files are put together, and files that nothing needs any more are removed (ADR 0019)."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from deltalake import DeltaTable

from watershed.client import connect, quote, run
from watershed.compaction import SMALL_BYTES, compact, landed_tables, to_compact
from watershed.delta_files import FILE_BYTES, remove_unfinished, told_in_a_sentence
from watershed.errors import WatershedError
from watershed.home import Home, find_home, find_project_dir
from watershed.landing import add_actions
from watershed.lock import Lock, waiting_lock
from watershed.quiet import run_while_quiet
from watershed.status import server_of
from watershed.tables import aligned, counted

_NO_SERVER = (
    "The tables of dbt are left alone: only a server may write them, and none runs on this home.\n"
    "  Maintain them too with: watershed with-server watershed maintain"
)


@dataclass(frozen=True)
class Survey:
    """The data files of a table: those of its newest version, and others with their sizes."""

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
        with _only_one(home):
            _maintain_landing(home, landing, keep_days)
            left = _maintain_built(int(server.get("port") or 0), built, before, keep_days) if server else []
        _print_result(before, _surveys(home, landing | built, keep_days))
        if left:
            print(f"Not put together, for others use the server: {', '.join(left)}. Run it again when no build runs.")
    if built and not server:
        print(_NO_SERVER)


@contextlib.contextmanager
def _only_one(home: Home) -> Iterator[None]:
    """Be the only one: two would wait for each other to leave the server."""
    lock = Lock(home.root / "maintain.lock")
    try:
        if not lock.try_acquire():
            raise WatershedError(
                f"The home {home.root} is being maintained by process {lock.holder().get('pid', 'unknown')}.",
                "Wait until it has ended.",
            )
        lock.describe()
        yield
    finally:
        lock.release()


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


def _maintain_built(port: int, tables: Mapping[str, Path], before: Mapping[str, Survey], keep_days: int) -> list[str]:
    """Maintain the tables of dbt through the server; return those that could not be put together."""
    places = {name: f"delta.{quote(str(path))}" for name, path in tables.items()}
    settings = [
        f"set spark.databricks.delta.optimize.{name} = {size}"
        for name, size in (("minFileSize", SMALL_BYTES), ("maxFileSize", FILE_BYTES))
    ]
    # Delta fails a transaction that has read a table if a compaction of it is committed meanwhile, even though that
    # changes no row: so builds go first.
    compactions = {name: f"optimize {place}" for name, place in places.items() if before[name].small}
    left = run_while_quiet(port, settings, compactions)
    with connect(LOOPBACK, port) as cursor:
        # Delta would take no less than a week.
        run(cursor, "set spark.databricks.delta.retentionDurationCheck.enabled = false")
        for name, place in places.items():
            if before[name].removable:
                run(cursor, f"vacuum {place} retain {keep_days * 24} hours")
    return left
