"""What the selectors of selectors.yml take: no unit tests of ours, and increments no tests at all but all seeds."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
import yaml
from conftest import PROJECT_DIR

INCREMENTS = ("increment", "increment_typed")
LIST = """
import json, sys
from dbt.cli.main import dbtRunner
places = ["--target-path", sys.argv[1], "--log-path", sys.argv[1], "--quiet"]
manifest = dbtRunner().invoke(["parse", *places]).result
options = ["--output", "json", "--output-keys", "resource_type name", *places]
print(json.dumps({
    name: [json.loads(line) for line in dbtRunner(manifest).invoke(["ls", "--selector", name, *options]).result]
    for name in sys.argv[2:]
}))
"""


def test_every_selector_leaves_unit_tests_out() -> None:
    selectors = yaml.safe_load((PROJECT_DIR / "selectors.yml").read_text())["selectors"]
    left_out = {one["name"]: one["definition"]["union"][-1]["exclude"] for one in selectors}
    assert set(left_out) == {"everything", "increment", "increment_typed"}
    assert all({"unit", "unit_test"} & {one["value"] for one in each} for each in left_out.values())


@pytest.fixture(scope="module")
def selected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[str, str]]]:
    """Resource types and names that each increment takes of the project with its samples, parsed once."""
    folder = str(tmp_path_factory.mktemp("target"))
    environment = os.environ | {"WATERSHED_SAMPLES": "1"}
    done = subprocess.run(
        [sys.executable, "-c", LIST, folder, *INCREMENTS],
        cwd=PROJECT_DIR,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, list[dict[str, str]]] = json.loads(done.stdout.splitlines()[-1])
    return {name: [(one["resource_type"], one["name"]) for one in nodes] for name, nodes in found.items()}


@pytest.mark.parametrize("selector", INCREMENTS)
def test_an_increment_loads_seeds_and_runs_no_tests(selected: dict[str, list[tuple[str, str]]], selector: str) -> None:
    assert {kind for kind, _ in selected[selector]} == {"model", "seed"}
    seeds = {name for kind, name in selected[selector] if kind == "seed"}
    assert seeds == {"cdc_sources", "table_keys", "databus_sources", "reason_codes", "anomaly_kinds"}


def test_increments_build_each_stored_table(selected: dict[str, list[tuple[str, str]]]) -> None:
    models = {name for kind, name in selected["increment_typed"] if kind == "model"}
    assert {"events", "appends", "row_states", "snapshot_datahub_blob__orders"} <= models
