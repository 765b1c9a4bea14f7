"""Builds of nothing, and concurrent builds on one server: nothing is counted twice, and nothing is skipped."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import Server
from dbt_common.events.base_types import EventMsg
from dbt_project import EVENTS, EXCLUDED, TABLES, Project, copy_project
from delivery import Log, write_batch
from encoders.datahub import blob_log
from encoders.table import generated_table
from histories import fold

pytestmark = pytest.mark.e2e


def canal(operation: str, data: dict[str, str], old: dict[str, str] | None = None) -> str:
    """A Canal message of one row of orders, which names no more columns than it has."""
    return json.dumps(
        {
            "data": [data],
            "old": old and [old],
            "type": operation,
            "pkNames": ["id"],
            "mysqlType": dict.fromkeys(data, "text"),
            "database": "shop",
            "table": "orders",
            "es": 1767225600000,
            "ts": 1767225600005,
            "sql": "",
            "isDdl": False,
        }
    )


HISTORY = generated_table("at_once", steps=100)
# The data tests that compare tables which a build writes one after the other.
ACROSS_TABLES = (
    "assert_appends_count_every_event",
    "assert_current_versions_are_the_current_rows",
    "assert_row_states_have_no_newer_change",
)
# Messages of Delta and of Iceberg.
REFUSAL = re.compile("CONCURRENT|Found conflicting files", re.IGNORECASE)


def moved_row() -> list[str]:
    """Messages of a row that changes its key by a message without its note: its insert, another row, the change."""
    log = Log("orders", partitions=1, order="position")
    log.append(0, canal("INSERT", {"id": "1", "note": "first"}))
    log.append(0, canal("INSERT", {"id": "7", "note": "other"}))
    log.append(0, canal("UPDATE", {"id": "2"}, {"id": "1"}))
    return [log.envelope(message) for message in log.messages]


def made_up() -> list[list[str]]:
    """Messages of a made-up table, in two batches."""
    return blob_log(HISTORY).deliver(HISTORY.chance("delivery"), copies=1, batches=2)


@pytest.fixture(scope="module")
def project(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project of which nothing has landed yet, and no key is configured."""
    return copy_project(tmp_path_factory.mktemp("at_once") / "project", server, "at_once")


@pytest.fixture(scope="module")
def built(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Build the first batch of each test's source."""
    folder = tmp_path_factory.mktemp("first_batches")
    for name, vendor_format, first in (
        ("at_once", "datahub_blob", made_up()[0]),
        ("meanwhile", "oms_canal", moved_row()[:1]),
    ):
        project.add_source(name, vendor_format, {})
        project.land(name, write_batch(folder, name, first))
    project.dbt("build", "--exclude-resource-type", "test", "unit_test", "--exclude", *EXCLUDED)
    return project


def test_build_without_messages_creates_empty_tables(project: Project) -> None:
    project.dbt("build", "--exclude", "test_type:generic", "test_type:unit", *EXCLUDED)
    assert {name: rows for name, rows in project.published().items() if rows} == {}


def test_two_builds_at_once_and_a_killed_one_count_nothing_twice(built: Project, tmp_path: Path) -> None:
    project = built
    first, second = made_up()
    project.land("at_once", write_batch(tmp_path, "second", second))

    # Killed after the append to events and before the manifest records it.
    killed = project.start("run", "--select", *TABLES)
    assert killed.stdout is not None
    while "OK created sql incremental_table model at_once.events" not in killed.stdout.readline():
        assert killed.poll() is None
    killed.kill()
    killed.wait()
    builds = [project.start("run", "--select", *TABLES, run=run) for run in (1, 2)]
    outputs = [build.communicate()[0] for build in builds]
    # Both may win; one may be refused, which is how nothing is appended twice. Then it is run again.
    for build, output in zip(builds, outputs, strict=True):
        assert build.returncode == 0 or REFUSAL.search(output), output[-3000:]
    project.dbt("run", "--select", *TABLES)
    counts = project.rows("source_outcomes where source_name = 'at_once'", "messages, duplicates")
    assert counts == [(len(first) + len(second), 0)]
    rows = project.rows("current_rows where source_name = 'at_once'", "row_image")
    assert len(rows) == len(fold(HISTORY.steps))


def test_concurrent_append_is_left_to_the_other_build(built: Project, tmp_path: Path) -> None:
    """Another build appends a primary-key update after the manifest was written, and does not record it."""
    project = built
    _, other, move = moved_row()
    project.land("meanwhile", write_batch(tmp_path, "other", [other]))

    appended = []

    def append_after_the_manifest(event: EventMsg) -> None:
        if event.info.name == "NodeFinished" and event.data.node_info.node_name == "appends":
            landed = project.command("land", "--source", "meanwhile", str(write_batch(tmp_path, "move", [move])))
            assert landed.returncode == 0, landed.stderr
            build = project.start("run", "--select", EVENTS, run=1)
            appended.append((build.communicate()[0], build.returncode))

    project.dbt("run", "--select", *TABLES, on_event=append_after_the_manifest)
    assert [code for _, code in appended] == [0], appended
    # An append that no later table has read yet is not a defect.
    project.dbt("test", "--select", *ACROSS_TABLES)
    project.dbt("run", "--select", *TABLES)
    project.dbt("test", "--select", *ACROSS_TABLES)

    rows = project.rows("current_rows where source_name = 'meanwhile'", "row_image")
    assert rows == [('{"id":"2","note":"first"}',), ('{"id":"7","note":"other"}',)]


def test_a_lost_row_and_a_wrong_count_are_found(built: Project) -> None:
    project, schema = built, built.schema
    [(row_key,), *_] = project.rows("current_rows where source_name = 'at_once'", "row_key")
    project.server.query(f"delete from {schema}.row_states where source_name = 'at_once' and row_key = '{row_key}'")
    project.server.query(f"update {schema}.appends set events = events + 1 where source_name = 'meanwhile'")
    output = project.start("test", "--select", *ACROSS_TABLES).communicate()[0]
    assert sorted(re.findall(r"FAIL \d+ (assert_\w+)", output)) == list(ACROSS_TABLES), output[-3000:]


def test_a_full_refresh_of_the_manifest_loses_no_number(built: Project) -> None:
    """Readers may have passed the number of an append whose events were all replayed."""
    project = built
    [(newest,)] = project.rows("appends", "max(append_number)")
    project.server.query(f"delete from {project.schema}.events where append_number = {newest}")
    project.dbt("run", "--full-refresh", "--select", "appends")
    assert project.rows("appends", "max(append_number)") == [(newest,)]
