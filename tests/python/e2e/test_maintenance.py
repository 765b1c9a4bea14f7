"""`watershed maintain` on one server: no table changes by it, what comes late and what is replayed comes right."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from conftest import Server, start_server
from dbt_project import EXCLUDED, TABLES, Project, copy_project
from delivery import write_batch
from deltalake import DeltaTable
from encoders.datahub import blob_log
from encoders.table import generated_table

from watershed.home import Home
from watershed.maintain import maintain as maintain_all

pytestmark = pytest.mark.e2e
HISTORY = generated_table("maintained", steps=120)
BATCHES = 12
# As many files as no build leaves behind.
MANY = "{most_small_files: 1}"


def maintain(project: Project, is_dry_run: bool = False, keep_days: int = 7) -> None:
    with mock.patch.dict(os.environ, project.env, clear=True), contextlib.chdir(project.folder):
        maintain_all(is_dry_run, keep_days)


def operations(project: Project, table: str) -> list[str]:
    rows = project.server.query(f"describe history {project.schema}.{table}")
    return [row[4] for row in rows]


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


def test_maintained_tables_go_on_as_if_nothing_had_been_done(
    built: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project, home = built, Home(built.server.home)
    before, landed = project.published(), project.server.query("select count(*) from landing.messages")
    maintain(project, is_dry_run=True)
    assert "Nothing was changed." in capsys.readouterr().out
    assert "VACUUM END" not in operations(project, "events")

    # No file of before stays.
    for keep_days in (7, 0):
        maintain(project, keep_days=keep_days)
    assert len(DeltaTable(home.messages).file_uris()) == 1
    for table in ("events", "row_states"):
        assert {"OPTIMIZE", "VACUUM END"} <= set(operations(project, table))
        folder = home.warehouse / "maintained.db" / table
        assert len(list(folder.glob("*.parquet"))) == len(DeltaTable(folder).file_uris()) < 3
    assert project.published() == before
    assert project.server.query("select count(*) from landing.messages") == landed
    done = operations(project, "events")
    project.dbt("run", "--select", *TABLES)
    assert operations(project, "events") == done, "a build with nothing new appended something"

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
