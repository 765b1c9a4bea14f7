"""What `make setup` prints where Python or Java are missing or of another version."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from conftest import PROJECT_DIR

TOOLS = ("sh", "sed", "head")


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def setup(folder: Path, java: str, python: str = "3.11") -> str:
    """Run the script with a Python and a Java that only state a version; it must stop before it installs anything."""
    for tool in TOOLS:
        (folder / tool).symlink_to(
            next(f"/{place}/{tool}" for place in ("bin", "usr/bin") if os.path.exists(f"/{place}/{tool}"))
        )
    program(folder / "python3.11", f"echo {python}")
    if java:
        program(folder / "java", f"echo '{java}' >&2")
    done = subprocess.run(
        ["sh", PROJECT_DIR / "scripts" / "setup.sh"],
        cwd=folder,
        env={"PATH": str(folder), "PYTHON": "python3.11"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done.stdout
    assert "Installing" not in done.stdout
    return done.stderr


@pytest.mark.parametrize(
    ("java", "found"),
    [
        ('openjdk version "1.8.0_412"', "Java 8"),
        ('openjdk version "11.0.25" 2024-10-15', "Java 11"),
        ('openjdk version "25" 2025-09-16', "Java 25"),
        ("no JVM here", "Java of an unknown version"),
    ],
)
def test_another_java_is_named_with_the_way_out(tmp_path: Path, java: str, found: str) -> None:
    assert setup(tmp_path, java) == (
        f"Java 17 (or 21) is required; {tmp_path}/java is {found}.\n"
        "On Debian 12: apt-get install openjdk-17-jre-headless; or set JAVA_HOME to the folder of a Java 17.\n"
    )


def test_a_missing_java_is_named_with_the_way_out(tmp_path: Path) -> None:
    assert setup(tmp_path, "").startswith("Java 17 is required; java was not found.\nOn Debian 12: apt-get")


def test_another_python_is_named_with_the_way_out(tmp_path: Path) -> None:
    message = setup(tmp_path, "", python="3.14")
    assert message.startswith(
        f"Python 3.11, 3.12 or 3.13 is required; {tmp_path}/python3.11 is Python 3.14; looked for python3.11, "
    )
    assert "make setup PYTHON=/path/to/python3.11" in message


@pytest.mark.parametrize("version", ["3.12", "3.13"])
def test_a_newer_python_is_taken_where_the_wanted_one_is_missing(tmp_path: Path, version: str) -> None:
    program(tmp_path / f"python{version}", f"echo {version}")
    assert setup(tmp_path, "", python="3.10").startswith("Java 17 is required; java was not found.")
