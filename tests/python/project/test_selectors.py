"""What the selectors of selectors.yml take: no unit tests of ours, and increments no tests at all but all seeds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from conftest import PROJECT_DIR


def test_every_selector_leaves_unit_tests_out() -> None:
    selectors = yaml.safe_load((PROJECT_DIR / "selectors.yml").read_text())["selectors"]
    left_out = {one["name"]: one["definition"]["union"][-1]["exclude"] for one in selectors}
    assert set(left_out) == {"everything", "increment", "increment_typed", "published"}
    assert all({"unit", "unit_test"} & {one["value"] for one in each} for each in left_out.values())


@pytest.mark.parametrize("selector", ["increment", "increment_typed"])
def test_an_increment_loads_seeds_and_runs_no_tests(tmp_path: Path, selector: str) -> None:
    dbt = Path(sys.executable).with_name("dbt")
    command = [dbt, "--quiet", "ls", "--selector", selector, "--output", "json", "--output-keys", "resource_type name"]
    places = ["--target-path", str(tmp_path), "--log-path", str(tmp_path)]
    done = subprocess.run([*command, *places], cwd=PROJECT_DIR, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    selected = [json.loads(line) for line in done.stdout.splitlines()]
    assert {one["resource_type"] for one in selected} == {"model", "seed"}
    seeds = {one["name"] for one in selected if one["resource_type"] == "seed"}
    assert seeds == {"cdc_sources", "table_keys", "databus_sources", "reason_codes"}


def test_increments_build_each_stored_table(tmp_path: Path) -> None:
    dbt = Path(sys.executable).with_name("dbt")
    places = ["--target-path", str(tmp_path), "--log-path", str(tmp_path), "--output", "name"]
    samples = {"env": os.environ | {"WATERSHED_SAMPLES": "1"}, "cwd": PROJECT_DIR, "text": True}
    typed = [dbt, "--quiet", "ls", "--selector", "increment_typed", "--resource-type", "model", *places]
    models = set(subprocess.run(typed, capture_output=True, **samples).stdout.split())
    assert {"events", "appends", "row_states", "snapshot_datahub_blob__orders"} <= models
