"""The proof of the fold: whatever the order of arrival, the cut into runs and the number of copies, the same rows."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from conftest import Server
from dbt_project import EXCLUDED, TABLES, Project, copy_project
from delivery import write_batch
from encoders import FORMATS, Table, VendorFormat
from encoders.databus import write_schemas
from encoders.table import drawn_tables, fixed_tables
from histories import START_SECONDS, Key, Row, Version
from named_histories import NAMED_HISTORIES
from points import FoundVersion, differences_at_points
from points import Place as OrderPlace

pytestmark = pytest.mark.e2e
# What the histories are drawn from, and the number of runs they come in; `make histories` takes more of them.
PROOFS = [(2, 1), (3, 2), (4, 7), (5, 50)]
DELIVERIES = PROOFS if os.environ.get("WATERSHED_PROOF") else [(1, 3)]
# Tables per format that hypothesis generates, in addition to one of each fixed profile.
DRAWN = 40 if os.environ.get("WATERSHED_PROOF") else 4
TIME_ZONES = ("UTC", "Asia/Shanghai", "America/St_Johns", "Pacific/Chatham", "America/Los_Angeles")
Place = tuple[str, str]
VersionsByKey = dict[Place, dict[Key, list[FoundVersion]]]
Rows = dict[Place, dict[Key, list[Row]]]
# The columns of the manifest that do not depend on the build that read a batch.
MANIFEST = "* except (append_number, appended_at, is_late)"
# The typed columns of one table in each format: their kinds, and the expected values.
TYPED = "plain"
KINDS: dict[str, tuple[str, Callable[[str], object]]] = {
    "id": ("bigint", int),
    "name": ("string", str),
    "amount": ("decimal(38,18)", Decimal),
    "total": ("bigint", int),
    "note": ("string", str),
    "version": ("int", int),
}


@pytest.mark.parametrize(("seed", "runs"), DELIVERIES)
def test_any_delivery_gives_the_rows_of_the_history(server: Server, tmp_path: Path, seed: int, runs: int) -> None:
    project = copy_project(tmp_path / "project", server, f"delivery_{seed}_{runs}")
    tables = fixed_tables(seed) + drawn_tables(seed, DRAWN)
    sources = {f"delivery_{seed}_{runs}_{vendor_format.name}": vendor_format for vendor_format in FORMATS}
    batches = {}
    for source, vendor_format in sources.items():
        named = [history for history in NAMED_HISTORIES if history.vendor_format == vendor_format.name]
        keys = vendor_format.key_columns(tables) | {one.table: one.key_columns for one in named if one.key_columns}
        project.add_source(
            source, vendor_format.name, keys, vendor_format.lob_columns, vendor_format.lob_tables(tables) or [""]
        )
        if vendor_format.name.startswith("databus_"):
            project.store_schemas(source, *write_schemas(tmp_path / "schemas"))
        batches[source] = batches_of(vendor_format, tables, runs)
        for history in named:
            batches[source][0] += history.lines(history.first)
            batches[source][-1] += history.lines(history.last, len(history.first))
    project.dbt("seed")
    for number in range(runs):
        project.use_time_zone(TIME_ZONES[(seed + number) % len(TIME_ZONES)])
        tree = tmp_path / f"batch_{number}"
        for source in sources:
            (tree / source).mkdir(parents=True)
            write_batch(tree / source, "messages", batches[source][number])
        project.land_tree(tree)
        # Every other run takes its changes for many.
        few = ("--vars", "{few_events: 0}") if number % 2 else ()
        project.dbt("run", *few, *(("--select", *TABLES) if number else ("--exclude", *EXCLUDED)))

    quarantined = project.rows(f"quarantine where source_name in ({_texts(sources)})", "source_name, reason_code")
    differences = list(differences_of(project, sources, tables))
    differences += named_differences(project)
    differences += typed_differences(project, sources, next(table for table in tables if table.profile.name == TYPED))
    incremental, manifest = project.fingerprints(), project.rows("appends", MANIFEST)
    project.use_time_zone(TIME_ZONES[(seed + runs) % len(TIME_ZONES)])
    project.dbt("run", "--full-refresh", "--select", *TABLES)
    refreshed = project.fingerprints()
    assert quarantined == []
    assert not differences, "\n".join(differences[:20])
    assert {name: rows for name, rows in incremental.items() if refreshed.get(name) != rows} == {}
    assert incremental.keys() == refreshed.keys()
    assert project.rows("appends", MANIFEST) == manifest
    # Some sources here count as no vendor does: their changes must come out right all the same.
    passed_by = (*EXCLUDED, "assert_sequences_have_their_shape")
    project.dbt("test", "--exclude-resource-type", "unit_test", "--select", "events", "rows", "--exclude", *passed_by)


def batches_of(vendor_format: VendorFormat, tables: list[Table], runs: int) -> list[list[str]]:
    """The messages of all tables of a format, in so many batches."""
    batches: list[list[str]] = [[] for _ in range(runs)]
    for table in map(vendor_format.table, tables):
        chance = table.chance("delivery")
        profile = table.profile
        delivered = vendor_format.encode(table).deliver(chance, profile.copies, runs, profile.is_scattered)
        for batch, lines in zip(batches, delivered, strict=True):
            batch += lines
    return batches


def differences_of(project: Project, sources: dict[str, VendorFormat], tables: list[Table]) -> Iterator[str]:
    """Differences between row_history and the history of a table, or between current_rows and its live rows."""
    told, current = _told(project, sources), _current(project, sources)
    for source, vendor_format in sources.items():
        for table in map(vendor_format.table, tables):
            place = source, vendor_format.table_name(table)
            expected = vendor_format.versions(table)
            for key in sorted(expected.keys() | told[place].keys() | current[place].keys()):
                about = f"{place}, {table.profile}, row {key}:\n"
                versions, found = expected.get(key, []), [one.version for one in told[place].get(key, [])]
                live = [version.row for version in versions if version.is_current and version.row is not None]
                if current[place].get(key, []) != live:
                    yield f"{about}  should be {live}\n  but it is {current[place].get(key)}"
                if not vendor_format.shows_all_versions(table):
                    versions, found = [
                        [version for version in some if version.is_current and version.row is not None]
                        for some in (versions, found)
                    ]
                if found != versions:
                    yield f"{about}  should have been {versions}\n  but was {found}"
            for point, rows, at_point in differences_at_points(vendor_format, table, told[place]):
                yield f"{place}, {table.profile}, {point}:\n  should have been {rows}\n  but was {at_point}"


def named_differences(project: Project) -> Iterator[str]:
    """Where a history that once came out wrong has other rows than it must have."""
    for history in NAMED_HISTORIES:
        found = [row for (row,) in project.rows(f"current_rows where table_name = '{history.table}'", "row_image")]
        if found != history.rows:
            yield f"{history.table}: should be {history.rows}\n  but is {found}"
        if history.versions:
            columns = ", ".join(f"unix_seconds({name}) - {START_SECONDS}" for name in ("valid_from", "valid_to"))
            told = project.rows(f"row_history where table_name = '{history.table}'", f"row_image, {columns}")
            if told != history.versions:
                yield f"{history.table}: should have been {history.versions}\n  but was {told}"


def typed_differences(project: Project, sources: dict[str, VendorFormat], table: Table) -> Iterator[str]:
    """Where a typed snapshot of the table, its columns given by hand, has other rows than the history."""
    for source, vendor_format in sources.items():
        names = vendor_format.byte_columns
        columns = [
            {"name": names.get(name, name), "type": "binary_base64" if names else kind, "alias": name}
            for name, (kind, _) in KINDS.items()
        ]
        model = f"typed_snapshot('{source}', '{vendor_format.table_name(table)}', columns={columns})"
        path = project.folder / "models" / "typed_snapshots" / f"typed_{source}.sql"
        path.write_text(f"{{{{ {model} }}}}\n")
    project.dbt("run", "--select", *(f"typed_{source}" for source in sources))
    for source, vendor_format in sources.items():
        versions = [version for told in vendor_format.versions(table).values() for version in told]
        expected = {
            (*(_typed(vendor_format, name, version.row[name]) for name in KINDS), "[]")
            for version in versions
            if version.is_current and version.row is not None
        }
        found = project.rows(f"typed_{source}", f"{', '.join(KINDS)}, cast_failures")
        if set(found) != expected or len(found) != len(expected):
            yield f"typed_{source}: should be {expected}\n  but is {found}"


def _typed(vendor_format: VendorFormat, name: str, text: str | None) -> object:
    if text is None:
        return None
    return text.encode() if vendor_format.byte_columns else KINDS[name][1](text)


def _told(project: Project, sources: dict[str, VendorFormat]) -> VersionsByKey:
    """The versions of each row by source and table, in their order."""
    told: VersionsByKey = defaultdict(lambda: defaultdict(list))
    places = [f"{name}.{part}" for name in ("valid_from_order", "valid_to_order") for part in OrderPlace._fields]
    for source, table, row_key, image, is_deleted, is_current, valid_from, valid_to, *order in project.server.query(
        "select source_name, table_name, row_key, row_image, is_deleted, is_current, "
        f"unix_seconds(valid_from), unix_seconds(valid_to), {', '.join(places)}, if(valid_from_order.sequence is null "
        "and size(collect_set(valid_from_order.partition) over (partition by source_name, table_name, row_key)) > 1, "
        "event_at, null) as spread_at "
        f"from {project.schema}.row_history where source_name in ({_texts(sources)}) "
        # Versions may begin at one time; in several partitions, without a sequence, their time goes before position.
        "order by valid_from, valid_from_order.phase, spread_at, valid_from_order"
    ):
        row = None if is_deleted else sources[source].read(_opened(image))
        version = Version(row, _second(valid_from), _second(valid_to), is_current)
        start, end = OrderPlace(*order[:3]), None if order[3] is None else OrderPlace(*order[3:6])
        found = FoundVersion(version, start, end)
        told[source, table][sources[source].read_key(_opened(row_key))].append(found)
    return told


def _current(project: Project, sources: dict[str, VendorFormat]) -> Rows:
    """The live rows by source and table."""
    current: Rows = defaultdict(lambda: defaultdict(list))
    for source, table, row_key, image in project.rows(
        f"current_rows where source_name in ({_texts(sources)})", "source_name, table_name, row_key, row_image"
    ):
        key = sources[source].read_key(_opened(row_key))
        current[source, table][key].append(sources[source].read(_opened(image)))
    return current


def _opened(image: str) -> dict[str, Any]:
    """The members of a JSON object, numbers with the digits that they have."""
    opened: dict[str, Any] = json.loads(image, parse_int=str, parse_float=str)
    return opened


def _second(seconds: int | None) -> int | None:
    return None if seconds is None else seconds - START_SECONDS


def _texts(values: Iterable[str]) -> str:
    return ", ".join(f"'{value}'" for value in values)
