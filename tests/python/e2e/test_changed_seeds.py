"""A seed that was edited between two builds counts for the next messages, or stops a run that would not load it."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from conftest import PROJECT_DIR, Server
from dbt_project import Project, copy_project

pytestmark = pytest.mark.e2e


def land_order(project: Project, folder: Path, number: int) -> None:
    """Land one Tuple message: an insert of an order."""
    record = {"_sequence_id_": str(1767225600000000000 + number), "_operation_type_": "I", "_before_image_": "N"}
    record |= {
        "_after_image_": "Y",
        "_excute_time_": "1767229202000",
        "_source_table_": "orders",
        "id": f"{number}",
        "ticket_id": f"T{number}",
    }
    path = folder / f"order_{number}.jsonl"
    line = {"topic": "orders", "partition": 0, "offset": number, "value": json.dumps(record)}
    path.write_text(json.dumps(line) + "\n")
    project.land("shop", path)


def test_a_changed_key_counts_for_the_next_increment_and_stops_a_run_without_seeds(
    server: Server, tmp_path: Path
) -> None:
    project = copy_project(tmp_path / "project", server, "changed_seeds")
    shutil.copy(PROJECT_DIR / "selectors.yml", project.folder)
    project.add_source("shop", "datahub_tuple", {"orders": "id"})
    project.dbt("seed")
    land_order(project, tmp_path, 1)
    project.dbt("run", "--select", "+events", "+row_states", "+current_rows")

    keys = project.folder / "seeds" / "table_keys.csv"
    keys.write_text(keys.read_text().replace('"id"', '"ticket_id"'))
    land_order(project, tmp_path, 2)
    with pytest.raises(AssertionError, match=r"seeds/table_keys.csv has changed since it was loaded") as stopped:
        project.dbt("run", "--select", "events")
    assert "dbt seed" in str(stopped.value)
    assert project.rows("current_rows", "row_key") == [('{"id":"1"}',)]

    output = project.dbt("build", "--selector", "increment")
    loaded = re.findall(r"OK loaded seed file changed_seeds\.(\w+) \.+ \[OK in ", output)
    assert loaded == ["table_keys"], "unchanged seeds are not loaded again"
    assert "Messages already processed keep their key" in output
    assert project.rows("current_rows", "row_key") == [('{"id":"1"}',), ('{"ticket_id":"T2"}',)]
    project.dbt("run", "--select", "events")

    # What was processed keeps its key until a full refresh.
    project.dbt("run", "--full-refresh", "--select", "events", "appends", "row_states")
    assert project.rows("current_rows", "row_key") == [('{"ticket_id":"T1"}',), ('{"ticket_id":"T2"}',)]
