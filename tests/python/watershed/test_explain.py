"""`watershed explain`: what it asks the server, and what it prints of the answers."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pyhive import hive

from watershed.cli import main
from watershed.explain import Explained, explained

INSERT = Explained(1, "superseded", "insert", "full", None, None, None, "t/0/0/0", "first", 0, None, None, "c1")
BEFORE = INSERT._replace(
    number=2, role="preimage of its message", change_type="update_preimage", sequence="7", decided_by=None
)
NEWEST = INSERT._replace(
    number=2, role="newest", change_type="update_postimage", sequence="7", event_at="2026-01-01 00:00:00.000000",
    decided_by="sequence", is_deleted=False, image='{"id":1}', change_id="c2",
)  # fmt: skip


class Cursor(hive.Cursor):
    """Answers the questions of `watershed explain`; any other question fails the test."""

    def __init__(self, answers: dict[str, list[tuple[Any, ...]]]) -> None:
        self._answers, self.asked, self._rows = answers, list[str](), list[tuple[Any, ...]]()

    def execute(self, operation: str, *_: object, **__: object) -> None:
        self.asked.append(operation)
        [self._rows] = [rows for table, rows in self._answers.items() if f".{table}" in operation]

    @property
    def description(self) -> list[tuple[str, ...]]:
        return [("column",)]

    def fetchall(self) -> list[tuple[Any, ...]]:
        return self._rows


def run(monkeypatch: pytest.MonkeyPatch, cursor: Cursor, *arguments: str) -> tuple[int, str, str]:
    monkeypatch.setattr("watershed.explain.connect_to", lambda _: contextlib.nullcontext(cursor))
    done = CliRunner().invoke(main, ["explain", *arguments], prog_name="watershed")
    return done.exit_code, done.stdout, done.stderr


def test_the_change_that_decides_and_the_state_are_printed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATERSHED_SCHEMA", "lake")
    rows: list[tuple[Any, ...]] = [("AB", "datahub_blob", "erp", None)]
    cursor = Cursor({"row_states": rows, "row_changes_explained": [INSERT, BEFORE, NEWEST]})
    code, text, _ = run(monkeypatch, cursor, "--source", "it's", "--table", "orders", '{"id":1}')
    assert code == 0
    assert 'Row {"id":1} of erp.orders (source it\'s, format datahub_blob)' in text
    lines = [line.split() for line in text.splitlines()]
    assert ["1", "insert", "full", "-", "-", "-", "t/0/0/0", "first", "superseded", "0"] in lines
    assert [line[:2] for line in lines if line[:1] == ["-"]][1:] == [["-", "update_preimage"]]
    assert "Change 2 (update_postimage, change_id c2) decides: its sequence is the highest." in text
    assert text.endswith('State: live.\nImage: {"id":1}\n')
    assert all("`lake`." in query and r"source_name = 'it\'s'" in query for query in cursor.asked)
    assert "unhex('AB')" in cursor.asked[1]


def test_database_and_schema_choose_the_table(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cursor = Cursor({"row_states": []})
    code, _, error = run(
        monkeypatch, cursor, "--source", "s", "--table", "t", "--database", "d", "--schema", "p", '{"id":1}'
    )
    assert code == 2
    wanted = "source_name = 's' and table_name = 't' and database_name = 'd' and schema_name = 'p'"
    assert f"No row of `watershed`.row_states has {wanted} and row_key = '{{\"id\":1}}'. A key is JSON" in error
    assert f'watershed sql "select row_key from `watershed`.row_states where {wanted} limit 10"' in error


@pytest.mark.parametrize(
    ("newest", "state"),
    [
        (NEWEST._replace(is_deleted=True, image=None), ["State: deleted."]),
        (
            NEWEST._replace(truncates=2),
            ["State: emptied; truncates of the table after it: 2.", 'Image before the truncate: {"id":1}'],
        ),
    ],
)
def test_a_row_that_is_gone_is_named_as_such(newest: Explained, state: list[str]) -> None:
    assert explained([INSERT, newest]).splitlines()[-len(state) :] == state
