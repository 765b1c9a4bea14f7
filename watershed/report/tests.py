"""What dbt left in the project's target folder of its last build: how the data tests went."""

from __future__ import annotations

import datetime as dt
import json
import re
from pathlib import Path
from typing import Any, NamedTuple

PASSED = ("pass", "success")


class Told(NamedTuple):
    """A test that failed or warned: the rows it found, and its rule."""

    name: str
    status: str
    found: int
    rule: str


class DataTests(NamedTuple):
    """The data tests of the last build or test."""

    ended_at: dt.datetime
    passed: int
    told: list[Told]

    def count(self, *statuses: str) -> int:
        """Return how many have one of these states."""
        return sum(test.status in statuses for test in self.told)


def read_tests(project_dir: Path) -> DataTests | None:
    """Return the results of the last build; None where dbt has left none."""
    try:
        results = json.loads((project_dir / "target" / "run_results.json").read_text("utf-8"))
        nodes: dict[str, Any] = json.loads((project_dir / "target" / "manifest.json").read_text("utf-8"))["nodes"]
        ended_at = dt.datetime.fromisoformat(results["metadata"]["generated_at"])
        tests = [result for result in results["results"] if result["unique_id"].startswith("test.")]
        told = [
            Told(node.get("name", ""), test["status"], test["failures"] or 0, node.get("description", "").strip())
            for test in tests
            if test["status"] not in PASSED
            for node in [nodes.get(test["unique_id"], {})]
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):  # none yet, or of another dbt
        return None
    return DataTests(ended_at.replace(tzinfo=None), len(tests) - len(told), told) if tests else None


def silent_after_minutes(project_dir: Path) -> int | None:
    """Return the variable that says after how long a source is silent."""
    try:
        text = (project_dir / "dbt_project.yml").read_text("utf-8")
    except OSError:
        return None
    found = re.search(r"(?m)^  silent_after_minutes: *(\d+)", text)
    return int(found[1]) if found else None
