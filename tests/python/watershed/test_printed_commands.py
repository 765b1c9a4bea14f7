"""Every command that a page prints is taken by the program it names, as it stands there, from the project's folder."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from conftest import PROJECT_DIR
from dbt.cli.main import cli as dbt

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
TARGETS = set(re.findall(r"(?m)^([a-z0-9]+):", (PROJECT_DIR / "Makefile").read_text()))


def printed(page: Path) -> Iterator[tuple[str, bool]]:
    """Yield commands, and whether they are whole.

    They are the lines of a page's blocks of shell, and what stands in backticks and begins like a command.
    """
    text = page.read_text("utf-8")
    for block in re.findall(r"^\s*```sh\n(.*?)```$", text, re.DOTALL | re.MULTILINE):
        yield from ((line, True) for line in re.sub(r"\\\n\s*", " ", block).splitlines())
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    # What stands in a sentence may name a command or an option only.
    yield from ((line, False) for line in re.findall(r"`((?:\.venv/bin/)?(?:watershed|dbt|make) [^`]+)`", prose))


COMMANDS = sorted({(page.relative_to(PROJECT_DIR).as_posix(), *found) for page in PAGES for found in printed(page)})


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
        assert {word for word in words[1:] if "=" not in word} <= TARGETS, f"{page}: no such target"
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
    read = set(re.findall(r"""(?:environ(?:\.get)?[(\[]|env_var\()["'](WATERSHED_\w+)""", "\n".join(texts)))
    assert read <= set(ENVIRONMENT) | {"WATERSHED_SAMPLES"}
    assert set(ENVIRONMENT) <= read | {"WATERSHED_THREADS"}
