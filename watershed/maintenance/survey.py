"""Survey of a table's folder: files of its current version, and others."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from deltalake import DeltaTable

from watershed.home import Home
from watershed.landing.compaction import to_compact
from watershed.landing.delta_reads import add_actions
from watershed.store import Location, relative


@dataclass(frozen=True)
class Survey:
    """The data files of a table: those of its current version, the number of small ones, and others with sizes."""

    files: int
    size: int
    small: int
    others: Mapping[str, int]
    removable: frozenset[str]


def is_delta(path: Location) -> bool:
    """Return whether a folder is that of a Delta table."""
    return bool(DeltaTable.is_deltatable(str(path)))


def built_tables(home: Home, log: str) -> dict[str, Location]:
    """Return the folders of the tables that dbt has built, by schema and name: those with a log of this name."""
    folders = sorted((found.parent for found in home.warehouse.glob(f"*.db/*/{log}")), key=str)
    return {f"{folder.parent.name.removesuffix('.db')}.{folder.name}": folder for folder in folders}


def survey(path: Location, keep_days: int) -> Survey:
    """Look at the log and the folder of a Delta table."""
    table = DeltaTable(str(path))
    adds = {unquote(add["path"]): add["size_bytes"] for add in add_actions(table)}
    on_disk = sizes_in(path, (file for file in path.rglob("[!._]*.parquet")))
    others = {name: size for name, size in on_disk.items() if name not in adds}
    removable = table.vacuum(keep_days * 24, dry_run=True, full=True, enforce_retention_duration=False)
    return Survey(
        files=len(adds),
        size=sum(adds.values()),
        small=sum(map(len, to_compact(table))),
        others=others,
        removable=frozenset(map(unquote, removable)) & others.keys(),
    )


def sizes_in(folder: Location, files: Iterable[Location]) -> dict[str, int]:
    """Return the sizes of files in the folder of a table, without those of Delta's log."""
    names = {relative(file, folder): file for file in files}
    return {name.as_posix(): _size_of(file) for name, file in names.items() if "_delta_log" not in name.parts}


def _size_of(file: Location) -> int:
    with contextlib.suppress(FileNotFoundError):  # removed by another process meanwhile
        return file.stat().st_size
    return 0
