"""The rules of `make lint` as tests: SQL, Python, and dbt's manifest of the project."""

from __future__ import annotations

import subprocess

import pytest
from conftest import PROJECT_DIR


@pytest.mark.parametrize("target", ["lint-python", "lint-sql", "lint-dbt"])
def test_lint_has_no_findings(target: str) -> None:
    done = subprocess.run(["make", "--no-print-directory", target], cwd=PROJECT_DIR, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
