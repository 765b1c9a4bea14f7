"""Changes of key of which the message tells a part: the row goes along, whatever the delivery."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from conftest import Server
from dbt_project import TABLES, copy_project
from delivery import write_batch
from encoders import FORMATS
from encoders.table import Table
from histories import Character, draw
from test_delivery import batches_of, differences_of

pytestmark = pytest.mark.e2e
RUNS = 3
# The formats whose images may be partial.
PARTIAL = ("oms_default", "oms_default_extend_column_type", "oms_canal", "oms_shareplex")
CHARACTERS = (
    # Few keys: they are used again, and rows come back to them.
    Character("moving", steps=60, keys=4, moves=0.4, is_partial=True, tells_moved_rows=False),
    # Long chains over many keys.
    Character("chains", steps=60, keys=12, moves=0.9, truncates=0, is_partial=True, tells_moved_rows=False),
    Character("crowd", keys=5, moves=0.5, per_second=5, copies=4, is_partial=True, tells_moved_rows=False),
)


def test_unchanged_columns_come_from_the_row_of_the_old_key(server: Server, tmp_path: Path) -> None:
    project = copy_project(tmp_path / "project", server, "key_changes")
    tables = [
        Table(character.name, number, number, character, draw(random.Random(number), character))
        for number, character in enumerate(CHARACTERS, 1)
    ]
    sources = {f"key_changes_{one.name}": one for one in FORMATS if one.name in PARTIAL}
    batches = {source: batches_of(vendor_format, tables, RUNS) for source, vendor_format in sources.items()}
    for source, vendor_format in sources.items():
        project.add_source(source, vendor_format.name, vendor_format.key_columns(tables), vendor_format.lob_columns)
    project.dbt("seed")
    for number in range(RUNS):
        tree = tmp_path / f"batch_{number}"
        for source in sources:
            (tree / source).mkdir(parents=True)
            write_batch(tree / source, "messages", batches[source][number])
        project.land_tree(tree)
        project.dbt("run", "--select", *(TABLES if number else ("+row_history", "+current_rows")))

    differences = list(differences_of(project, sources, tables))
    assert not differences, "\n".join(differences[:20])
    incremental = {name: project.rows(name, "* except (appended_at)") for name in ("key_moves", "row_states")}
    moved = {source for (source,) in project.rows("key_moves", "source_name")}
    assert moved >= set(sources)
    project.dbt("run", "--full-refresh", "--select", *TABLES)
    for name, rows in incremental.items():
        assert project.rows(name, "* except (appended_at)") == rows, name
    server.query("delete from landing.messages where source_name like 'key_changes_%'")
