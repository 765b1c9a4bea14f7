"""`watershed maintain` on one server: tables stay the same, and late-arriving and replayed messages are applied."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from conftest import FORMAT_VARIABLE, Server, start_server
from dbt_project import EXCLUDED, TABLES, Project, copy_project
from delivery import write_batch
from deltalake import DeltaTable
from encoders.datahub import blob_log
from encoders.table import generated_table

from watershed.home import Home
from watershed.maintenance.maintain import maintain as maintain_all

pytestmark = pytest.mark.e2e
HISTORY = generated_table("maintained", steps=120)
BATCHES = 12
FILLED = ("events", "row_states")
IS_ICEBERG = os.environ.get(FORMAT_VARIABLE) == "iceberg"
# More files than any build leaves.
MANY = "{compact_every_appends: 1}"


def maintain(project: Project, is_dry_run: bool = False, keep_days: int = 7) -> None:
    with mock.patch.dict(os.environ, project.env, clear=True), contextlib.chdir(project.folder):
        maintain_all(is_dry_run, keep_days)


def versions(project: Project, table: str) -> list[tuple[object, ...]]:
    """The commits of a table that can still be read, whatever its format."""
    name = f"{project.schema}.{table}"
    return project.server.query(f"select * from {name}.snapshots" if IS_ICEBERG else f"describe history {name}")


def newest_files(project: Project, table: str) -> set[str]:
    """The names of the files that the newest version of a table has."""
    if IS_ICEBERG:
        rows = project.server.query(f"select file_path from {project.schema}.{table}.files")
        return {Path(row[0]).name for row in rows}
    return {Path(uri).name for uri in DeltaTable(folder_of(project, table)).file_uris()}


def folder_of(project: Project, table: str) -> Path:
    return Home(project.server.home).warehouse / f"{project.schema}.db" / table


def data_files(project: Project, table: str) -> set[str]:
    """The names of the files on disk, logs aside."""
    folder = folder_of(project, table)
    files = (folder / "data").glob("*") if IS_ICEBERG else folder.glob("*.parquet")
    return {file.name for file in files if not file.name.startswith(".")}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of its own: maintenance looks at all tables of a home, and other tests leave hundreds."""
    running = start_server(tmp_path_factory.mktemp("home"))
    yield running
    running.stop()


@pytest.fixture(scope="module")
def built(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Build all but the last batch, in a few builds; the keys of the second source are wrong."""
    folder = tmp_path_factory.mktemp("maintained")
    project = copy_project(folder / "project", server, "maintained")
    project.add_source("steady", "datahub_blob", {})
    project.add_source("mended", "datahub_blob", {HISTORY.name: "no_such_column"})
    batches = blob_log(HISTORY).deliver(HISTORY.chance("delivery"), copies=2, batches=BATCHES)
    for number, lines in enumerate(batches[:-1]):
        for source in ("steady", "mended"):
            project.land(source, write_batch(folder, f"{source}_{number}", lines))
        if number == 0:
            project.dbt("build", "--exclude-resource-type", "test", "unit_test", "--exclude", *EXCLUDED)
        elif number % 4 == 0:
            project.dbt("run", "--select", *TABLES, "--vars", MANY)
    project.dbt("run", "--select", *TABLES, "--vars", MANY)
    return project


def test_maintenance_changes_no_later_build(built: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project, home = built, Home(built.server.home)
    before, landed = project.published(), project.server.query("select count(*) from landing.messages")
    done = {table: versions(project, table) for table in TABLES}
    maintain(project, is_dry_run=True)
    assert "Dry run, nothing was changed." in capsys.readouterr().out
    assert {table: versions(project, table) for table in TABLES} == done
    old = {table: data_files(project, table) - newest_files(project, table) for table in FILLED}
    assert all(old.values())

    # No file of before stays.
    for keep_days in (7, 0):
        maintain(project, keep_days=keep_days)
    assert len(DeltaTable(home.messages).file_uris()) == 1
    for table in FILLED:
        assert data_files(project, table) == newest_files(project, table)
        assert len(newest_files(project, table)) < 3, "its builds put its files together"
        assert old[table].isdisjoint(data_files(project, table))
    assert project.published() == before
    assert project.server.query("select count(*) from landing.messages") == landed
    events = versions(project, "events")
    project.dbt("run", "--select", *TABLES)
    assert versions(project, "events") == events, "a build with nothing new appended something"

    # A late batch, and messages that can be read now: both as if they had come in time.
    last = blob_log(HISTORY).deliver(HISTORY.chance("delivery"), copies=2, batches=BATCHES)[-1]
    for source in ("steady", "mended"):
        project.land(source, write_batch(tmp_path, source, last))
    keys = project.folder / "seeds" / "table_keys.csv"
    keys.write_text("".join(line for line in keys.open() if not line.startswith("mended,")))
    project.dbt("seed")
    project.dbt("run-operation", "replay", "--args", "{source_name: mended}")
    project.dbt("run", "--select", *TABLES)
    incremental = project.fingerprints()
    assert project.rows("quarantine") == []
    project.dbt("test", "--exclude-resource-type", "unit_test", "--select", "events", "rows", "--exclude", *EXCLUDED)

    # A build that was never maintained, of all that has landed.
    fresh = Project(project.folder, project.server, "never_maintained")
    fresh.dbt("seed", run=1)
    fresh.dbt("run", "--exclude", *EXCLUDED, run=1)
    assert fresh.fingerprints() == incremental
