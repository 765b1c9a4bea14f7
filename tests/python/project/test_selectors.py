"""What the selectors of selectors.yml take: no unit tests of ours, and an increment no tests at all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import yaml
from conftest import PROJECT_DIR


def test_every_selector_leaves_unit_tests_out() -> None:
    selectors = yaml.safe_load((PROJECT_DIR / "selectors.yml").read_text())["selectors"]
    left_out = {one["name"]: one["definition"]["union"][-1]["exclude"] for one in selectors}
    assert set(left_out) == {"everything", "increment", "published"}
    assert all({"unit", "unit_test"} & {one["value"] for one in each} for each in left_out.values())


def test_an_increment_is_models_alone(tmp_path: Path) -> None:
    dbt = Path(sys.executable).with_name("dbt")
    command = [dbt, "--quiet", "ls", "--selector", "increment", "--output", "json", "--output-keys", "resource_type"]
    places = ["--target-path", str(tmp_path), "--log-path", str(tmp_path)]
    done = subprocess.run([*command, *places], cwd=PROJECT_DIR, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert set(done.stdout.splitlines()) == {'{"resource_type": "model"}'}
