"""`watershed findings`: the results that dbt wrote, as text; the server answers known questions only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyhive import hive

from watershed.errors import WatershedError
from watershed.health.findings import found_by
from watershed.sources import SWITCH

COLUMNS = ("source_name", "reason_code", "reason_detail", "topic", "partition", "offset", "value")
ANSWERS: dict[str, list[tuple[Any, ...]]] = {
    "describe query": [(name, "string", None) for name in COLUMNS],
    "select source_name": [
        ("shop", "malformed_json", 1022, "orders/0/17", "at byte 3"),
        ("bank", "malformed_json", 1, "moves/1/4", None),
    ],
    "select reason_code": [("malformed_json", "Correct the writer.")],
}


class Cursor(hive.Cursor):
    """Answers questions by how they begin; any other question fails the test."""

    def __init__(self, answers: dict[str, list[tuple[Any, ...]]]) -> None:
        self._answers, self._rows = answers, list[tuple[Any, ...]]()

    def execute(self, operation: str, *_: object, **__: object) -> None:
        assert "value" not in operation.partition("from (select 1")[0], "no payload is asked for"
        [self._rows] = [rows for start, rows in self._answers.items() if operation.startswith(start)]

    @property
    def description(self) -> list[tuple[str, ...]]:
        return [("column",)]

    def fetchall(self) -> list[tuple[Any, ...]]:
        return self._rows


def found(
    project: Path,
    results: list[dict[str, str]],
    answers: dict[str, list[tuple[Any, ...]]] | None = None,
    command: str = "build",
) -> str:
    """Return what is printed of some results: name, status, description, message, and whether it is of a seed."""
    nodes = {
        one["name"]: {
            "name": one["name"],
            "resource_type": one.get("kind", "test"),
            "description": one.get("description", ""),
            "original_file_path": one.get("file", "tests/t.sql"),
        }
        for one in results
    }
    listed = [
        {"unique_id": one["name"], "status": one["status"], "message": one.get("message"), "compiled_code": "select 1"}
        for one in results
    ]
    (project / "target").mkdir(exist_ok=True)
    written = {"results": listed, "args": {"which": command}, "metadata": {"generated_at": "2026-11-27T08:00:00Z"}}
    (project / "target" / "run_results.json").write_text(json.dumps(written))
    units = {name: node for name, node in nodes.items() if node["resource_type"] == "unit_test"}
    others = {name: node for name, node in nodes.items() if name not in units}
    (project / "target" / "manifest.json").write_text(json.dumps({"nodes": others, "unit_tests": units}))
    return found_by(Cursor(ANSWERS if answers is None else answers), project)


def test_a_test_is_printed_with_sources_examples_and_remedies(project: Path) -> None:
    results = [
        {"name": "quarantine_is_empty", "status": "warn", "description": "No message\nis in quarantine."},
        {"name": "fine", "status": "pass"},
        {"name": "changelog", "status": "error", "kind": "model"},
    ]
    assert found(project, results) == (
        "Findings of the last build:\n"
        "WARN quarantine_is_empty: No message is in quarantine.\n"
        "  shop, malformed_json, 1,022 found, such as orders/0/17 (at byte 3)\n"
        "  bank, malformed_json, 1 found, such as moves/1/4\n"
        "\n"
        "What to do about the reasons (watershed.quarantine has the messages):\n"
        "  malformed_json: Correct the writer."
    )


def test_a_wrong_cell_of_a_seed_is_printed_with_its_remedy(project: Path) -> None:
    problem = "seeds/cdc_sources.csv, format: expected a format"
    answers = {
        "describe query": [(name, "string", None) for name in ("source_name", "problem", "remedy")],
        "select source_name": [("shop", problem, "Correct the seed.", 1, None, None)],
    }
    results = [{"name": "assert_configuration_can_be_used", "status": "fail", "description": "Every cell is right."}]
    assert found(project, results, answers) == (
        "Findings of the last build:\nFAIL assert_configuration_can_be_used: Every cell is right.\n"
        f"  shop, {problem}\n"
        "    Correct the seed."
    )


def test_a_line_of_a_seed_with_a_cell_too_many_is_named(project: Path) -> None:
    message = "Database Error\n  Row 3 has 8 values, but Table only has 7 columns"
    results = [
        {"name": "table_keys", "status": "error", "kind": "seed", "file": "seeds/table_keys.csv", "message": message}
    ]
    assert found(project, results, {}) == (
        "Findings of the last build:\nERROR table_keys: seeds/table_keys.csv:5: expected 7 cells, found 8. Quote a "
        "cell that contains a comma; correct the line, then build again."
    )


def test_what_could_not_run_is_printed_with_the_message_of_dbt(project: Path) -> None:
    results = [
        {"name": "cdc_sources", "status": "error", "kind": "seed", "message": "Compilation Error\n  expected commas"},
        {"name": "t", "status": "error", "message": "Database Error\n  no such column"},
        {"name": "rows_are_merged", "status": "fail", "kind": "unit_test", "message": "actual differs from expected"},
        {"name": "u", "status": "error", "message": ""},
    ]
    assert found(project, results, {}).split("\n\n") == [
        "Findings of the last build:\nERROR cdc_sources: Compilation Error expected commas",
        "ERROR t: Database Error no such column",
        "FAIL rows_are_merged: actual differs from expected",
        "ERROR u: see tests/t.sql",
    ]


def test_results_of_another_command_are_refused(project: Path) -> None:
    with pytest.raises(WatershedError, match="has the results of `dbt run-operation`, not of a build"):
        found(project, [{"name": "fine", "status": "pass"}], command="run-operation")


def test_more_groups_than_are_shown_are_counted_as_more(project: Path) -> None:
    answers = {
        "describe query": [("source_name", "string", None)],
        "select source_name": [(f"s{number:02}", 2, None, None) for number in range(11)],
    }
    lines = found(project, [{"name": "t", "status": "fail"}], answers).splitlines()
    assert lines[1:3] == ["FAIL t: see tests/t.sql", "  s00, 2 found"]
    assert lines[-2:] == ["  s09, 2 found", "  and more"]


def test_tests_that_passed_differ_from_tests_that_did_not_run(project: Path) -> None:
    passed = [{"name": "test.fine", "status": "pass"}, {"name": "changelog", "status": "success", "kind": "model"}]
    assert found(project, passed) == "All tests and seeds of the last build passed."
    none = "The last build (dbt run) ran no tests. Run them: .venv/bin/dbt test."
    assert found(project, passed[1:], command="run") == none
    failed = [passed[0], {"name": "events", "status": "error", "kind": "model", "message": "no such table"}]
    assert found(project, failed) == "The last build (dbt build) failed in events."


def test_what_warns_in_the_samples_is_expected(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SWITCH, "1")
    warned = found(project, [{"name": "t", "status": "warn"}])
    assert warned.endswith(
        "The samples have broken messages and tables without a key on purpose: warnings are expected."
    )


def test_without_a_build_the_way_out_is_named(tmp_path: Path) -> None:
    with pytest.raises(WatershedError, match="no build has run in this project") as refused:
        found_by(Cursor({}), tmp_path)
    assert "Run dbt build first." in str(refused.value)


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (SWITCH, "DBT_TARGET_PATH", "WATERSHED_SCHEMA"):
        monkeypatch.delenv(name, raising=False)
