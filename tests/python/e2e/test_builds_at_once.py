"""Builds beside each other on one server: nothing is counted twice, and nothing is passed over."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from conftest import Server
from dbt.cli.main import dbtRunner
from dbt_common.events.base_types import EventMsg
from dbt_project import EXCLUDED, TABLES, copy_project
from delivery import Log, write_batch
from encoders.datahub import blob_log
from encoders.table import made_up_table
from histories import fold

pytestmark = pytest.mark.e2e


def test_two_builds_at_once_and_a_killed_one_count_nothing_twice(server: Server, tmp_path: Path) -> None:
    project = copy_project(tmp_path / "project", server, "at_once")
    project.add_source("at_once", "datahub_blob", {})
    project.dbt("seed")
    history = made_up_table("at_once", steps=100)
    first, second = blob_log(history).deliver(history.chance("delivery"), copies=1, batches=2)
    project.land("at_once", write_batch(tmp_path, "first", first))
    project.dbt("run", "--exclude", *EXCLUDED)
    project.land("at_once", write_batch(tmp_path, "second", second))

    killed = project.start("run", "--select", *TABLES)
    time.sleep(6)
    killed.kill()
    killed.wait()
    builds = [project.start("run", "--select", *TABLES, run=run) for run in (1, 2)]
    outputs = [build.communicate()[0] for build in builds]
    # Both may win; one may be refused by Delta, which is how nothing is appended twice. Then it is run again.
    for build, output in zip(builds, outputs, strict=True):
        assert build.returncode == 0 or "CONCURRENT" in output.upper(), output[-3000:]
    project.dbt("run", "--select", *TABLES)
    counts = project.rows("source_outcomes where source_name = 'at_once'", "messages, duplicates")
    assert counts == [(len(first) + len(second), 0)]
    rows = project.rows("current_rows where source_name = 'at_once'", "row_image")
    assert len(rows) == len(fold(history.steps))


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


# Jinja says so of texts of other packages when dbt runs in this process.
@pytest.mark.filterwarnings("ignore:invalid escape sequence:DeprecationWarning")
def test_a_build_leaves_to_another_what_that_one_appends_meanwhile(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The row changes its key by a message without its note, which comes when key_moves has looked already."""
    project = copy_project(tmp_path / "project", server, "meanwhile")
    project.add_source("meanwhile", "oms_canal", {})
    project.dbt("seed")
    log = Log("orders", partitions=1, order="position")
    log.append(0, canal("INSERT", {"id": "1", "note": "first"}))
    log.append(0, canal("INSERT", {"id": "7", "note": "other"}))
    log.append(0, canal("UPDATE", {"id": "2"}, {"id": "1"}))
    insert, other, move = (log.envelope(message) for message in log.messages)
    project.land("meanwhile", write_batch(tmp_path, "insert", [insert]))
    project.dbt("run", "--exclude", *EXCLUDED)
    project.land("meanwhile", write_batch(tmp_path, "other", [other]))

    appended = []

    def append_behind_key_moves(event: EventMsg) -> None:
        if event.info.name == "NodeFinished" and event.data.node_info.node_name == "key_moves":
            project.land("meanwhile", write_batch(tmp_path, "move", [move]))
            appended.append(project.dbt("run", "--select", "events", run=1))

    for name, value in (server.env | {"WATERSHED_SCHEMA": project.schema}).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(project.folder)
    runner = dbtRunner(callbacks=[append_behind_key_moves])
    places = ["--profiles-dir", "profiles", "--target-path", "target/2", "--log-path", "target/2"]
    assert runner.invoke(["--quiet", "run", "--select", *TABLES, *places]).success
    assert len(appended) == 1
    project.dbt("run", "--select", *TABLES)

    rows = project.rows("current_rows where source_name = 'meanwhile'", "row_image")
    assert rows == [('{"id":"2","note":"first"}',), ('{"id":"7","note":"other"}',)]
