"""The whole pipeline over a real Thrift server: what a user runs, and what must hold whatever the delivery."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from conftest import Server
from databus_messages import write_schema
from dbt_project import EXCLUDED, TABLES, Project, copy_project
from histories import draw, fold, write_batch
from vendor_messages import FORMATS, KEYS_IN_CONFIGURATION, NO_TRUNCATES, blob_log, plain_row

pytestmark = pytest.mark.e2e
# What a history is drawn from, and the number of runs it comes in; `make proof` takes more of them.
PROOFS = [(seed, runs) for seed in range(2, 5) for runs in (1, 2, 7)] + [(5, 50)]
DELIVERIES = PROOFS if os.environ.get("WATERSHED_PROOF") else [(1, 3)]
TIME_ZONES = ("UTC", "Asia/Shanghai", "America/St_Johns", "Pacific/Chatham", "America/Los_Angeles")


def test_samples_become_the_expected_tables(samples: Project) -> None:
    expected = json.loads((Path(__file__).with_name("expected_samples.json")).read_text())
    outcomes = samples.rows(
        "source_outcomes where source_name = format",
        "source_name, messages, changes, control_events, duplicates, quarantined",
    )
    assert [list(row) for row in outcomes] == expected["source_outcomes"]
    rows = samples.server.query(
        "select source_name, table_name, row_key, row_image from samples.current_rows "
        "where source_name = format order by 1, 2, 3"
    )
    assert [list(row) for row in rows] == expected["current_rows"]

    samples.dbt("source", "freshness")
    before = samples.published()
    assert "Nothing new has landed." in samples.land_samples()
    samples.dbt("run", "--select", *TABLES)
    assert samples.published() == before


@pytest.mark.parametrize(("seed", "runs"), DELIVERIES)
def test_any_delivery_gives_the_rows_of_the_history(server: Server, tmp_path: Path, seed: int, runs: int) -> None:
    project = copy_project(tmp_path / "project", server, f"history_{seed}_{runs}")
    table = f"things_{seed}_{runs}"
    deliveries, expected = {}, {}
    for vendor_format, encode in FORMATS.items():
        source = f"history_{vendor_format}_{seed}_{runs}"
        project.add_source(source, vendor_format, {table: "id"} if vendor_format in KEYS_IN_CONFIGURATION else {})
        if vendor_format.startswith("databus_"):
            project.store_schemas(source, write_schema(tmp_path))
        history = draw(seed, steps=150, truncates=vendor_format not in NO_TRUNCATES)
        deliveries[source] = encode(history, table, seed).deliver(seed, copies=3, batches=runs)
        expected[source] = {key: {name: str(row[name]) for name in row} for key, row in fold(history).items()}
    project.dbt("seed")
    for number in range(runs):
        project.use_time_zone(TIME_ZONES[(seed + number) % len(TIME_ZONES)])
        tree = tmp_path / f"batch_{number}"
        for source, batches in deliveries.items():
            (tree / source).mkdir(parents=True)
            write_batch(tree / source, "messages", batches[number])
        project.land_tree(tree)
        project.dbt("run", *(("--select", *TABLES) if number else ("--exclude", *EXCLUDED)))

    for source, rows in expected.items():
        images = [
            json.loads(image) for (image,) in project.rows(f"current_rows where source_name = '{source}'", "row_image")
        ]
        plain = map(plain_row, images)
        found = {int(row["id"]): {name: str(value) for name, value in row.items()} for row in plain}
        assert found == rows, source
    current = project.rows("current_rows", "source_name, row_key, last_change_id")
    newest = project.rows("row_history where is_current and not is_deleted", "source_name, row_key, last_change_id")
    assert newest == current
    incremental = project.published()
    project.use_time_zone(TIME_ZONES[(seed + runs) % len(TIME_ZONES)])
    project.dbt("run", "--full-refresh", "--select", *TABLES)
    refreshed = project.published()
    for name in incremental:
        assert incremental[name] == refreshed[name], name
    project.dbt("test", "--exclude-resource-type", "unit_test", "--select", "events", "rows", "--exclude", *EXCLUDED)


def test_two_builds_at_once_and_a_killed_one_count_nothing_twice(server: Server, tmp_path: Path) -> None:
    project = copy_project(tmp_path / "project", server, "at_once")
    project.add_source("at_once", "datahub_blob", {})
    project.dbt("seed")
    history = draw(7, steps=100, truncates=False)
    first, second = blob_log(history, "at_once", 7).deliver(7, copies=1, batches=2)
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
    assert len(rows) == len(fold(history))
