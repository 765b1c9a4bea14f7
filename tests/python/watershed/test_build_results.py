"""The results of the last build, as dbt writes them into its target folder."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import pytest

from watershed.health.build_results import BuildResults, NodeResult, NoResults, read_results

NOON = dt.datetime(2026, 3, 1, 12)


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("DBT_TARGET_PATH", raising=False)
    (tmp_path / "target").mkdir()
    nodes = {"test.w.warn": {"name": "assert_x", "description": "A rule.\n"}}
    (tmp_path / "target" / "manifest.json").write_text(json.dumps({"nodes": nodes}))
    return tmp_path / "target"


def write(target: Path, which: str, *statuses: str) -> None:
    results = [
        {"unique_id": f"{'model' if status == 'error' else 'test'}.w.{status}", "status": status, "failures": 2}
        for status in statuses
    ]
    metadata = {"generated_at": "2026-03-01T14:00:00+02:00"}
    content = {"args": {"which": which}, "metadata": metadata, "results": results}
    (target / "run_results.json").write_text(json.dumps(content))


@pytest.mark.parametrize("command", ["build", "test", "run"])
def test_results_of_a_build_have_its_failures_and_warnings(target: Path, command: str) -> None:
    write(target, command, "pass", "warn", "fail", "error", "skipped")
    found = read_results(target.parent)
    assert found == BuildResults(
        command,
        NOON,
        1,
        [
            NodeResult("assert_x", "warn", 2, "A rule."),
            NodeResult("fail", "fail", 2, ""),
            NodeResult("error", "error", 2, "", is_test=False),
        ],
    )
    assert [node.name for node in found.failed] == ["fail", "error"]
    assert [node.name for node in found.warned] == ["assert_x"]


@pytest.mark.parametrize(
    ("which", "typed"), [("generate", "docs generate"), ("compile", "compile"), ("run-operation", "run-operation")]
)
def test_compiled_tests_are_no_passed_tests(target: Path, which: str, typed: str) -> None:
    write(target, which, "success", "success")
    found = read_results(target.parent)
    assert isinstance(found, NoResults)
    assert found.overwritten_by == typed
    assert f"has the results of `dbt {typed}`, not of a build." in found.reason


def test_a_build_without_tests_has_passed_none(target: Path) -> None:
    (target / "run_results.json").write_text(
        json.dumps(
            {
                "args": {"which": "build"},
                "metadata": {"generated_at": "2026-03-01T12:00:00Z"},
                "results": [{"unique_id": "model.w.events", "status": "success"}],
            }
        )
    )
    found = read_results(target.parent)
    assert isinstance(found, BuildResults)
    assert not found.has_tests


def test_missing_and_broken_results_are_not_known(target: Path) -> None:
    missing = read_results(target.parent)
    assert isinstance(missing, NoResults)
    assert "no build has run in this project" in missing.reason
    (target / "run_results.json").write_text("{")
    broken = read_results(target.parent)
    assert isinstance(broken, NoResults)
    assert "cannot be read as results of dbt" in broken.reason
    assert broken.overwritten_by is None
