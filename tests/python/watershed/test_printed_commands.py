"""Every command on a page is accepted unchanged by its program, in the project's folder."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import click
import pytest
from conftest import PROJECT_DIR
from dbt.cli.main import cli as dbt
from printed_commands import printed

from watershed.cli import ENVIRONMENT
from watershed.cli import main as watershed

PAGES = [
    *PROJECT_DIR.glob("*.md"),
    *(PROJECT_DIR / "docs").rglob("*.md"),
    *(PROJECT_DIR / "udfs").glob("*.md"),
    PROJECT_DIR / "models" / "overview.md",
    PROJECT_DIR / "tests" / "README.md",
]
PROGRAMS = {"watershed": watershed, "dbt": dbt}
# What takes long, ends never or undoes all is not run by a test. What its steps call, tests do run: test_readme.py,
# and for the docs site test_site.py.
RECIPES = {
    "run": "-m watershed.samples .venv/bin/watershed with-server .venv/bin/python scripts/run_samples.py",
    "samples": "-m watershed.samples .venv/bin/watershed with-server bash",
    "test": '.venv/bin/pytest --numprocesses 2 -m "not proof and not kafka"',
    "proof": '.venv/bin/pytest --numprocesses 2 -m "proof and not rare"',
    "docs": "with-server .venv/bin/dbt docs generate --target-path target/docs",
    "bench": ".venv/bin/python -m benchmarks.blob",
    "clean": "rm -rf .venv .watershed .watershed-samples target logs ",
}
COMMANDS = sorted({(page.relative_to(PROJECT_DIR).as_posix(), *found) for page in PAGES for found in printed(page)})


def recipe_of(*words: str) -> str:
    """Return the commands that make would run; the target must exist."""
    command = ["make", "--dry-run", "--no-print-directory", *words]
    # `make test PROOF=1` passes its variable on.
    env = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "PROOF")}
    done = subprocess.run(command, cwd=PROJECT_DIR, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("target", RECIPES)
def test_what_is_printed_and_not_run_does_what_it_says(target: str) -> None:
    assert RECIPES[target] in recipe_of(target)


@pytest.mark.parametrize(("page", "line", "is_whole"), COMMANDS)
def test_printed_commands_are_taken(page: str, line: str, is_whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT_DIR)
    monkeypatch.delenv("DBT_PROFILES_DIR", raising=False)
    words = shlex.split(re.sub(r"[\[\]]|\.\.$", "", line) if not is_whole else line, comments=True)
    words = words[: next((at for at, word in enumerate(words) if word in ("|", ">", "&&", "2>/dev/null")), None)]
    while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
        words.pop(0)
    program = Path(words[0]).name if words else ""
    if program == "make":
        recipe_of(*words[1:])
    elif program in PROGRAMS:
        assert words[0] in (program, f".venv/bin/{program}"), f"{page}: where is {words[0]}?"
        group = PROGRAMS[program]
        with click.Context(group, info_name=program) as context:
            options = group.make_parser(context).parse_args(list(words[1:]))[1]
            if not options:  # `watershed --help`
                return
            name, command, rest = group.resolve_command(context, options)
            assert command is not None
            try:
                command.make_context(name, rest, parent=context)
            except (click.MissingParameter, click.BadOptionUsage):
                assert not is_whole
            except click.exceptions.Exit:  # --help
                assert "--help" in line


def test_printed_selections_of_unit_tests_have_some() -> None:
    """A name without a unit test would select nothing, and dbt only warns of it."""
    unit_tests = [
        path for folder in ("tests/unit", "samples/models/unit") for path in (PROJECT_DIR / folder).rglob("*.yml")
    ]
    tested = {name for path in unit_tests for name in re.findall(r"(?m)^ +model: (\w+)", path.read_text())}
    for page, line, _ in COMMANDS:
        for names in re.findall(r"(\w+),test_type:unit", line):
            assert names in tested, f"{page}: {line}"


def test_commands_were_found() -> None:
    assert len(COMMANDS) > 30


def test_environment_variables_are_listed_once_and_for_all() -> None:
    """The help lists all that the program and dbt read, but the switch of the samples."""
    texts = [path.read_text() for path in (PROJECT_DIR / "watershed").rglob("*.py") if path.name != "cli.py"]
    texts.append((PROJECT_DIR / "profiles" / "profiles.yml").read_text())
    reading = r"""(?:environ(?:\.get)?[(\[]|env_var\(|VARIABLE = )["']((?:DBT_ENV_SECRET_)?WATERSHED_\w+)"""
    read = set(re.findall(reading, "\n".join(texts)))
    listed = {name.rstrip(".") for name in ENVIRONMENT}
    assert read <= listed | {"WATERSHED_SAMPLES"}
    assert listed <= read | {"WATERSHED_THREADS"}
