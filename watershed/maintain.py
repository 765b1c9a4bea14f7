"""`watershed maintain`: small files are put together, and files that nothing needs any more are removed (ADR 0019)."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from deltalake import DeltaTable
from pyhive import hive
from TCLIService.ttypes import TCancelOperationReq, TOperationState

from watershed.client import LOOPBACK, QueryError, connect, quote, run
from watershed.compaction import SMALL_BYTES, compact, landed_tables, to_compact
from watershed.delta_files import FILE_BYTES, remove_unfinished, told_in_a_sentence
from watershed.home import Home, find_home, find_project_dir
from watershed.landing import add_actions
from watershed.lock import waiting_lock
from watershed.status import server_of
from watershed.tables import aligned, counted

# Between two nodes of a build on a busy machine no connection was open for half a second.
_QUIET_SECONDS = 5.0
_PATIENCE_SECONDS = 600.0
_POLL_SECONDS = 0.05
_TRIES = 3
_OWN_CONNECTIONS = 2
_ESTABLISHED = "01"
_GOING_ON = (TOperationState.INITIALIZED_STATE, TOperationState.PENDING_STATE, TOperationState.RUNNING_STATE)
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
    server = server_of(home)
    with told_in_a_sentence(home):
        before = {name: survey(path, keep_days) for name, path in (landing | built).items()}
    if is_dry_run:
        _print_plan(before, keep_days)
    else:
        _maintain_landing(home, landing, keep_days)
        left = _maintain_built(int(server["port"]), built, before, keep_days) if server else []
        _print_result(before, {name: survey(path, keep_days) for name, path in (landing | built).items()})
        if left:
            print(f"Not put together, for others use the server: {', '.join(left)}. Run it again when no build runs.")
    if built and not server:
        print(_NO_SERVER)


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
    left = _put_together(port, {name: place for name, place in places.items() if before[name].small})
    with connect(LOOPBACK, port) as cursor:
        # Delta would take no less than a week.
        run(cursor, "set spark.databricks.delta.retentionDurationCheck.enabled = false")
        for name, place in places.items():
            if before[name].removable:
                run(cursor, f"vacuum {place} retain {keep_days * 24} hours")
    return left


def _put_together(port: int, places: Mapping[str, str]) -> list[str]:
    """Put the files of tables together while nobody else uses the server; return the tables where it was not done.

    Delta fails a transaction that has read a table if a compaction of it is committed meanwhile, even though that
    changes no row. So whoever connects in the middle, which may be a build, goes first: the compaction is given up.
    """
    left = list(places)
    with connect(LOOPBACK, port) as cursor, connect(LOOPBACK, port) as canceller:
        for name, size in (("minFileSize", SMALL_BYTES), ("maxFileSize", FILE_BYTES)):
            run(cursor, f"set spark.databricks.delta.optimize.{name} = {size}")
        is_quiet = False
        for name in [name for name in places for _ in range(_TRIES)]:
            if name not in left:
                continue
            if not (is_quiet or _becomes_quiet(port)):
                break
            is_quiet = _optimize(port, places[name], cursor, canceller)
            if is_quiet:
                left.remove(name)
    return left


def _optimize(port: int, place: str, cursor: hive.Cursor, canceller: hive.Cursor) -> bool:
    """Put the files of a table together unless another client comes; return whether that was done."""
    cursor.execute(f"optimize {place}", async_=True)
    with ThreadPoolExecutor(1) as pool:
        ending = pool.submit(_end_of, cursor)
        while not ending.done():
            if clients_of(port) > _OWN_CONNECTIONS:
                request = TCancelOperationReq(operationHandle=cursor._operationHandle)
                canceller._connection.client.CancelOperation(request)
                break
            wait([ending], _POLL_SECONDS)
        return ending.result()


def _end_of(cursor: hive.Cursor) -> bool:
    """Wait for the end of a statement; return whether it was done, and neither cancelled nor refused by Delta."""
    while (status := cursor.poll()).operationState in _GOING_ON:
        pass  # the server answers when it has ended, or after some seconds
    if status.operationState == TOperationState.ERROR_STATE and "CONCURRENT" not in status.errorMessage.upper():
        raise QueryError(f"Small files could not be put together: {status.errorMessage.splitlines()[0]}")
    return bool(status.operationState == TOperationState.FINISHED_STATE)


def _becomes_quiet(port: int) -> bool:
    """Wait until no other client has been connected for some seconds; return whether that came in time."""
    began = busy = time.monotonic()
    while time.monotonic() - busy < _QUIET_SECONDS:
        if clients_of(port) > _OWN_CONNECTIONS:
            busy = time.monotonic()
        if busy - began > _PATIENCE_SECONDS:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def clients_of(port: int, folder: Path = Path("/proc/net")) -> int:
    """Return how many connections to a port of this machine are open."""
    found = 0
    for name in ("tcp", "tcp6"):
        with contextlib.suppress(FileNotFoundError):
            for line in (folder / name).read_text().splitlines()[1:]:
                _, _, remote, state, *_ = line.split()
                found += state == _ESTABLISHED and int(remote.rpartition(":")[2], 16) == port
    return found
