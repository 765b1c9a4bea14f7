"""The rules of `make lint` as tests: SQL, Python, and dbt's manifest of the project."""

from __future__ import annotations

import subprocess

import pytest
from conftest import PROJECT_DIR

# Lines that a file may have, by folder and suffix.
MOST_LINES = {
    ("models", ".sql"): 119,
    ("samples/models", ".sql"): 119,
    ("macros", ".sql"): 59,
    ("watershed", ".py"): 399,
    ("udfs", ".py"): 399,
    ("benchmarks", ".py"): 399,
    ("scripts", ".py"): 399,
}


@pytest.mark.parametrize("target", ["lint-python", "lint-sql", "lint-dbt"])
def test_lint_has_no_findings(target: str) -> None:
    done = subprocess.run(["make", "--no-print-directory", target], cwd=PROJECT_DIR, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("folder", "suffix"), MOST_LINES)
def test_files_are_short(folder: str, suffix: str) -> None:
    files = [path for path in (PROJECT_DIR / folder).rglob(f"*{suffix}") if path.is_file()]
    assert files
    lines = {path.name: len(path.read_text("utf-8").splitlines()) for path in files}
    assert {name: n for name, n in lines.items() if n > MOST_LINES[folder, suffix]} == {}
