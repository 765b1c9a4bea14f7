"""Incremental builds: typed snapshots merge changed rows, unchanged views and seeds are kept."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from conftest import PROJECT_DIR, Server
from dbt_project import TABLES, Project, copy_project

pytestmark = pytest.mark.e2e
SOURCE = "kept"
# One table, a table of the same name in another database, and both as views: the result of a rebuild.
SNAPSHOTS = {"of_one": ", database_name='shop'", "of_two": ""}
COLUMNS = (
    "{'name': 'id', 'type': 'bigint'}, {'name': 'amount', 'type': 'int'}, {'name': 'at', 'type': 'timestamp_text'}"
)
BUILT = [*TABLES, *SNAPSHOTS]


@dataclass
class Shop:
    """A Blob source whose messages a test lands run by run."""

    project: Project
    folder: Path
    offset: int = 0
    lines: list[str] = field(default_factory=list)
    operations: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SNAPSHOTS, 0))

    def add(self, op: str, sequence: int, row: dict[str, object] | None = None, database: str = "shop") -> None:
        """Say a message of table orders."""
        side = "before" if op in ("DELETE", "UPDATE_BEFOR") else "after"
        types = [{"name": name, "type": "STRING"} for name in row or {}]
        origin = {"dbType": "MySQL", "dbName": database, "tableName": "orders"}
        payload: dict[str, object] = {
            "op": op,
            "sequenceId": str(1767225600000000000 + sequence),
            "timestamp": {"eventTime": 1767229202000, "systemTime": 1767229202000},
        }
        payload |= {"ddl": {"text": "truncate table orders"}} if row is None else {side: {"dataColumn": row}}
        message = {"schema": {"dataColumn": types, "primaryKey": ["id"], "source": origin}, "payload": payload}
        value = json.dumps(message | {"version": "0.0.1"})
        self.lines.append(json.dumps({"topic": "t", "partition": 0, "offset": self.offset, "value": value}))
        self.offset += 1

    def build(self) -> dict[str, list[str]]:
        """Land messages, build, compare with a rebuild; return the operations on each snapshot since."""
        if self.lines:
            file = self.folder / f"{self.offset}.jsonl"
            file.write_text("\n".join(self.lines) + "\n")
            self.lines.clear()
            self.project.land(SOURCE, file)
        self.project.dbt("run", "--select", *BUILT, "downstream")
        # It keeps rows that were deleted, and has each row that is there as it is now.
        unread = self.project.server.query(
            f"select * from {self.project.schema}.of_one as rows where not exists (select 1 from "
            f"{self.project.schema}.downstream as read where read.id = rows.id and read.amount <=> rows.amount)"
        )
        assert unread == []
        for name in SNAPSHOTS:
            # A view was never built, so its changed_at is the time of the query.
            columns = "* except (append_number, changed_at)"
            assert self.project.rows(name, columns) == self.project.rows(f"{name}_rebuilt", columns), name
        return {name: self.news_of(name) for name in SNAPSHOTS}

    def news_of(self, name: str) -> list[str]:
        """The operations that wrote rows of a snapshot since it was last asked for them, oldest first."""
        history = self.project.server.query(f"describe history {self.project.schema}.{name}")
        operations = [row[4] for row in reversed(history) if row[4] != "SET TBLPROPERTIES"]
        news = operations[self.operations[name] :]
        self.operations[name] = len(operations)
        return news

    def write_models(self, columns: str) -> None:
        """Write the snapshots of these columns, views of the same SQL, and the model that docs/analysts.md shows."""
        models = self.project.folder / "models" / "typed_snapshots"
        (downstream,) = re.findall(r"(?s)```jinja\n(.*?)```", (PROJECT_DIR / "docs" / "analysts.md").read_text("utf-8"))
        downstream = downstream.replace("order_id", "id").replace("status, amount", "amount")
        source = "source('watershed', 'snapshot_datahub_blob__orders')"
        assert source in downstream
        (models / "downstream.sql").write_text(downstream.replace(source, "ref('of_one')"))
        for name, places in SNAPSHOTS.items():
            call = f"{{{{ typed_snapshot('{SOURCE}', 'orders'{places}, columns=[{columns}]) }}}}\n"
            (models / f"{name}.sql").write_text(call)
            # The macro sets the materialization; later configuration overrides it.
            (models / f"{name}_rebuilt.sql").write_text(call + "{{ config(materialized='view') }}\n")


def row(number: int, amount: object, at: str = "2026-01-01 08:00:00") -> dict[str, object]:
    return {"id": str(number), "amount": amount, "at": at}


def of_each(operations: list[str]) -> dict[str, list[str]]:
    return dict.fromkeys(SNAPSHOTS, operations)


@pytest.fixture
def shop(server: Server, tmp_path: Path) -> Shop:
    project = copy_project(tmp_path / "project", server, "fixed_cost")
    project.add_source(SOURCE, "datahub_blob", {})
    with (project.folder / "seeds" / "table_keys.csv").open("a") as rules:
        rules.write(f"{SOURCE},,,orders,id,,gone\n")
    made = Shop(project, tmp_path)
    made.write_models(COLUMNS)
    project.dbt("seed")
    return made


def test_a_typed_snapshot_takes_what_changed_and_is_what_a_rebuild_would_give(shop: Shop) -> None:
    project = shop.project
    for number in range(1, 8):
        shop.add("INSERT", number, row(number, number))
    project.dbt("run", "--select", "+of_one", "+of_two", "+of_one_rebuilt", "+of_two_rebuilt")
    created = "CREATE OR REPLACE TABLE AS SELECT"
    assert shop.build() == of_each([created, "MERGE"])

    for merged in ("row_states", "of_one"):
        properties = dict(project.server.query(f"show tblproperties {project.schema}.{merged}"))
        assert properties["delta.enableDeletionVectors"] == "true", "a merge writes new rows, not whole files again"
        own = [name for name in properties if name.startswith("watershed.")]
        assert own == (["watershed.definition_hash"] if merged == "of_one" else [])

    shop.add("UPDATE_AFTER", 20, row(1, "no number"))
    shop.add("DELETE", 21, row(2, 2))
    shop.add("UPDATE_BEFOR", 22, row(3, 3))
    shop.add("UPDATE_AFTER", 22, row(30, 3))
    shop.add("INSERT", 23, row(8, 8))
    shop.add("UPDATE_AFTER", 24, row(7, 7) | {"gone": "1"})
    assert shop.build() == of_each(["MERGE"])
    assert project.rows("of_one", "id, amount, cast_failures") == [
        (1, None, '["amount"]'),
        (30, 3, "[]"),
        (4, 4, "[]"),
        (5, 5, "[]"),
        (6, 6, "[]"),
        (8, 8, "[]"),
    ]

    assert shop.build() == of_each([]), "nothing new"

    # A late older change brings nothing back, a deleted row may come again; and the same key in another database.
    shop.add("UPDATE_AFTER", 10, row(2, 20))
    shop.add("INSERT", 30, row(7, 70))
    shop.add("DELETE", 31, row(8, 8))
    shop.add("INSERT", 1, row(1, 100), database="bank")
    assert shop.build() == of_each(["MERGE"])

    shop.add("TRUNCATE", 40)
    shop.add("INSERT", 41, row(50, 50))
    assert shop.build() == of_each(["MERGE"])
    assert [number for number, _ in project.rows("of_one", "id, amount")] == [50]
    shop.add("INSERT", 39, row(51, 51))
    shop.add("INSERT", 42, row(52, 52))
    assert shop.build()["of_one"] == ["MERGE"]
    assert [number for number, _ in project.rows("of_one", "id, amount")] == [50, 52]

    # Rebuilt tables may have lost rows.
    project.dbt("run", "--full-refresh", "--select", *TABLES)
    assert shop.build() == {"of_one": [created], "of_two": [created]}

    # Another time zone of the source, which the snapshot has read.
    sources = project.folder / "seeds" / "cdc_sources.csv"
    there = f"{SOURCE},datahub_blob,Asia/Shanghai"
    sources.write_text(sources.read_text().replace(f"{SOURCE},datahub_blob,UTC", there))
    project.dbt("seed", "--select", "cdc_sources")
    assert shop.build() == {"of_one": [created], "of_two": [created]}
    assert {at.hour for (at,) in project.rows("of_one", "at")} == {0}

    # A redelivered change: nothing is written, and no model that keeps max(changed_at) reads the row again.
    known, states = project.rows("of_one"), dict(project.rows("row_states", "row_key, changed_at"))
    shop.add("INSERT", 41, row(50, 50))
    assert shop.build() == of_each([])
    assert project.rows("of_one") == known
    assert dict(project.rows("row_states", "row_key, changed_at")) == states

    # One snapshot of another database, which has the same columns; the other with another cast and a further column.
    models = project.folder / "models" / "typed_snapshots"
    of_one = {file: file.read_text() for file in models.glob("of_one*.sql")}
    shop.write_models(COLUMNS.replace("'int'", "'bigint'") + ", {'name': 'gone', 'type': 'string'}")
    for file, text in of_one.items():
        file.write_text(text.replace("database_name='shop'", "database_name='bank'"))
    project.dbt("run", "--select", *(f"{name}_rebuilt" for name in SNAPSHOTS))
    assert shop.build() == {"of_one": [created], "of_two": [created]}
    assert [number for number, _ in project.rows("of_one", "id, amount")] == [1]

    # With --empty tables keep their rows.
    states = project.rows("row_states")
    project.dbt("run", "--empty", "--select", *BUILT)
    assert project.rows("row_states") == states
    assert [number for number, _ in project.rows("of_one", "id, amount")] == [1]

    # With --full-refresh they become empty, the manifest too, so that the next build reads all messages again.
    project.dbt("run", "--empty", "--full-refresh", "--select", *TABLES)
    assert [project.rows(name, "count(*)") for name in TABLES] == [[(0,)]] * len(TABLES)
    project.dbt("run", "--select", *TABLES)
    assert project.rows("row_states", "count(*)") == [(len(states),)]


def made_again(output: str) -> list[str]:
    """The views that a run created instead of skipping them."""
    return re.findall(r"OK created sql view model \w+\.(\w+) \.* \[OK in", output)


def test_views_and_seeds_are_made_when_they_change(server: Server, tmp_path: Path) -> None:
    project = copy_project(tmp_path / "project", server, "unchanged")
    views = ["stg_datahub_blob__events", "table_rules", "changelog", "heartbeats"]
    seeds = ["cdc_sources", "table_keys"]
    run = ["run", "--select", *views, "+events"]
    assert "OK unchanged" not in project.dbt("seed")
    assert set(views) < set(made_again(project.dbt(*run)))
    assert made_again(project.dbt(*run)) == []
    log = (project.folder / "target" / "0" / "dbt.log").read_text()
    assert "skipping parsing" in log.rpartition("Running with dbt=")[2]
    assert project.dbt("seed", "--select", *seeds).count("OK unchanged") == 2

    # A description, a macro, a dropped view, and with a view those that read it.
    models = project.folder / "models"
    described = models / "changelog" / "_changelog__models.yml"
    described.write_text(
        described.read_text().replace(
            "- name: heartbeats\n    description: >", "- name: heartbeats\n    description: > \n      New."
        )
    )
    macro = project.folder / "macros" / "event" / "name_list.sql"
    macro.write_text(macro.read_text().replace("{%- endmacro %}", " /* changed */ {%- endmacro %}"))
    server.query(f"drop view {project.schema}_staging.stg_datahub_blob__events")
    assert set(made_again(project.dbt(*run))) == {"heartbeats", "table_rules", "stg_datahub_blob__events"}
    assert server.query(f"show table extended in {project.schema} like 'heartbeats'")[0][3].find("Comment: New.") > 0

    # Views made with --empty stay empty no longer than that.
    empty = [*run[:-1], "--empty"]
    assert set(views) <= set(made_again(project.dbt(*empty)))
    assert set(views) <= set(made_again(project.dbt(*run)))

    # A seed with another row, and one without any.
    sources = project.folder / "seeds" / "cdc_sources.csv"
    header, *rows = sources.read_text().splitlines()
    sources.write_text("\n".join([header, *rows, "it's \\ new,datahub_blob,"]) + "\n")
    assert project.dbt("seed", "--select", *seeds).count("OK unchanged") == 1
    assert ("it's \\ new",) in server.query(
        f"select source_name from {project.schema}.cdc_sources where time_zone is null"
    )
    sources.write_text(header + "\n")
    project.dbt("seed", "--select", *seeds)
    assert server.query(f"select * from {project.schema}.cdc_sources") == []
    types = {name: kind for name, kind, _ in server.query(f"describe {project.schema}.cdc_sources")}
    assert types["time_zone"] == "string"
