"""The results of the last build that dbt wrote into its target folder: failed models, failed and warned tests."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any, NamedTuple

from watershed.home import target_dir

COMMANDS = ("build", "test", "run", "retry")
"""Commands of dbt whose results are those of a build; every other command overwrites the same file."""
PASSED = ("pass", "success")
FAILED = ("fail", "error", "runtime error")
_TESTS = ("test.", "unit_test.")
_LONGEST_MESSAGE = 300


class NodeResult(NamedTuple):
    """A model, seed or test that failed or warned: rows that a test found, and its rule."""

    name: str
    status: str
    found: int
    rule: str
    is_test: bool = True


class BuildResults(NamedTuple):
    """The results of one build."""

    command: str
    ended_at: dt.datetime
    passed_tests: int
    nodes: list[NodeResult]

    @property
    def failed(self) -> list[NodeResult]:
        """Models, seeds and tests that failed."""
        return [node for node in self.nodes if node.status in FAILED]

    @property
    def warned(self) -> list[NodeResult]:
        """Tests that warned."""
        return [node for node in self.nodes if node.status == "warn"]

    @property
    def has_tests(self) -> bool:
        """Whether the build ran tests."""
        return self.passed_tests > 0 or any(node.is_test for node in self.nodes)


class NoResults(NamedTuple):
    """The results of the last build are not available: the reason, and the command that overwrote them, if any."""

    reason: str
    overwritten_by: str | None = None


def read_results(project_dir: Path) -> BuildResults | NoResults:
    """Read the results of the last build from dbt's target folder (DBT_TARGET_PATH, else target)."""
    target = target_dir(project_dir)
    file = target / "run_results.json"
    try:
        results = json.loads(file.read_text("utf-8"))
        command = results["args"]["which"]
        ended_at = dt.datetime.fromisoformat(results["metadata"]["generated_at"])
        found = results["results"]
        if command not in COMMANDS:
            return NoResults(f"{file} has the results of `dbt {_words(command)}`, not of a build.", _words(command))
        manifest = json.loads((target / "manifest.json").read_text("utf-8"))
        described: dict[str, Any] = {**manifest["nodes"], **manifest.get("unit_tests", {})}
        nodes = [
            _node(result, described.get(result["unique_id"], {}))
            for result in found
            if result["status"] not in (*PASSED, "skipped", "no-op")
        ]
        passed = sum(result["unique_id"].startswith(_TESTS) and result["status"] in PASSED for result in found)
    except FileNotFoundError as error:
        return NoResults(f"{error.filename} does not exist: no build has run in this project.")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        return NoResults(f"{file} cannot be read as results of dbt: {type(error).__name__} {error}.")
    return BuildResults(command, ended_at.astimezone(dt.UTC).replace(tzinfo=None), passed, nodes)


def _node(result: dict[str, Any], node: dict[str, Any]) -> NodeResult:
    """Return a result with the description of its node, or else the message of dbt."""
    unique_id = result["unique_id"]
    name = node.get("name") or unique_id.split(".")[-1]
    rule = (node.get("description") or "").strip()
    is_test = unique_id.startswith(_TESTS)
    if not is_test or not rule:
        rule = str(result.get("message") or "").strip()[:_LONGEST_MESSAGE]
    return NodeResult(name, result["status"], result.get("failures") or 0, rule, is_test)


def _words(command: str) -> str:
    """Return a command as typed by a person."""
    return "docs generate" if command == "generate" else command
