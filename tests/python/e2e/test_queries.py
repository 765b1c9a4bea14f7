"""Runs the examples of docs/analysts.md and compares their output with the page."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import NamedTuple

import pytest
from conftest import PROJECT_DIR
from dbt_project import Project

from watershed.server.client import connect, run
from watershed.sql import Layout, render
from watershed.tables import OutputFormat

pytestmark = pytest.mark.e2e
PAGE = (PROJECT_DIR / "docs" / "analysts.md").read_text("utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$(?:\n\n^```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)


class Example(NamedTuple):
    """An example of the page: its language, its code, and its output."""

    language: str
    code: str
    answer: str


# Models of dbt are run by test_fixed_cost.py.
EXAMPLES = [one for found in BLOCK.findall(PAGE) if (one := Example(*found)).language != "jinja"]


def test_every_example_has_its_answer() -> None:
    assert [example.language for example in EXAMPLES if not example.answer] == []
    assert {example.language for example in EXAMPLES} == {"sh", "python", "sql"}


@pytest.mark.parametrize("example", EXAMPLES, ids=[f"{number}-{one.language}" for number, one in enumerate(EXAMPLES)])
def test_examples_give_the_answers_of_the_page(example: Example, samples: Project) -> None:
    code = on_server(example.code, samples)
    if example.language == "sql":
        with connect(samples.server.host, samples.server.port) as cursor:
            printed = render(*run(cursor, code), OutputFormat.TABLE, Layout.WIDE)
    else:
        command = [sys.executable, "-c", code]
        if example.language == "sh":
            command = ["bash", "-c", code.replace(".venv", sys.prefix)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        printed = re.sub(r"^0: jdbc:\S+> ", "", done.stdout)  # without beeline's prompt
    assert printed.rstrip("\n") + "\n" == example.answer


def on_server(code: str, project: Project) -> str:
    """Replace port and schema by those of the test."""
    code = code.replace("127.0.0.1:10000/watershed", f"127.0.0.1:{project.server.port}/{project.schema}")
    code = code.replace("port=10000", f"port={project.server.port}").replace('"watershed"', f'"{project.schema}"')
    return code.replace("watershed.", f"{project.schema}.")
