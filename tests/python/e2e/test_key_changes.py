"""Changes of key of which the message tells a part: the row goes along, whatever the delivery."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Server
from dbt_project import TABLES, copy_project
from histories import Row, fold, write_batch
from key_changes import ENCODERS, draw_key_changes, versions

pytestmark = pytest.mark.e2e
RUNS = 3
SEEDS = (1, 2, 3)


def texts(rows: list[Row]) -> list[dict[str, str]]:
    """Give rows in an order of their own, each value as its text: formats differ in numbers and texts."""
    return sorted(({name: str(value) for name, value in row.items()} for row in rows), key=repr)


def test_unchanged_columns_come_from_the_row_of_the_old_key(server: Server, tmp_path: Path) -> None:
    project = copy_project(tmp_path / "project", server, "key_changes")
    deliveries, histories = {}, {}
    for name, (vendor_format, encode) in ENCODERS.items():
        for seed in SEEDS:
            source = f"key_changes_{name}_{seed}"
            project.add_source(source, vendor_format, {source: "id"} if vendor_format == "oms_shareplex" else {})
            histories[source] = draw_key_changes(seed, steps=80, truncates=True)
            deliveries[source] = encode(histories[source], source).deliver(seed, copies=2, batches=RUNS)
    project.dbt("seed")
    for number in range(RUNS):
        tree = tmp_path / f"batch_{number}"
        for source, batches in deliveries.items():
            (tree / source).mkdir(parents=True)
            write_batch(tree / source, "messages", batches[number])
        project.land_tree(tree)
        project.dbt("run", "--select", *(TABLES if number else ("+row_history", "+current_rows")))

    for source, history in histories.items():
        live = project.rows(f"current_rows where source_name = '{source}'", "row_image")
        assert texts([json.loads(image) for (image,) in live]) == texts(list(fold(history).values())), source
        told = project.rows(f"row_history where source_name = '{source}' and not is_deleted", "row_image")
        assert texts([json.loads(image) for (image,) in told]) == texts(versions(history)), source
    columns = "source_name, row_key, row_image, last_change_id"
    newest = project.rows("row_history where is_current and not is_deleted", columns)
    assert newest == project.rows("current_rows", columns)

    incremental = {name: project.rows(name, "* except (appended_at)") for name in ("key_moves", "row_states")}
    assert len(incremental["key_moves"]) > 100
    project.dbt("run", "--full-refresh", "--select", *TABLES)
    for name, rows in incremental.items():
        assert project.rows(name, "* except (appended_at)") == rows, name
