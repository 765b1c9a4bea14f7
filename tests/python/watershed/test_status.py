"""`watershed status`, `watershed stop`, `--version` and where the text of a query comes from."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from watershed import sql as sql_module
from watershed.cli import main
from watershed.sql import render, with_nested_json
from watershed.tables import OutputFormat

# Holds the lock of a server as one does, and ends as one does.
HOLDER = """
import signal, sys
from pathlib import Path
from watershed.lock import Lock
lock = Lock(Path(sys.argv[1]))
assert lock.try_acquire()
lock.describe(port=1)
print("held", flush=True)
signal.sigwait([signal.SIGTERM])
"""


def told(*arguments: str, text: str | None = None) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, list(arguments), input=text, prog_name="watershed")
    return done.exit_code, done.stdout, done.stderr


def test_without_a_server_status_tells_what_has_landed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATERSHED_PORT", "1")
    (project / "one.jsonl").write_text('{"topic": "t", "partition": 0, "offset": 0, "value": "v"}')
    assert told("land", "--source", "shop", "one.jsonl")[0] == 0
    with (project / "seeds" / "cdc_sources.csv").open("a") as sources:
        sources.write("mars,oms_shareplex,Mars/City\n")
    code, text, _ = told("status")
    assert code == 0
    assert "Server      none runs on this home; start one with: watershed serve" in text
    assert "Last build  not known without a server" in text
    assert "Warning     " in text
    assert "has time_zone 'Mars/City', which does not exist" in text
    rows = [re.split(r" {2,}", line) for line in text.splitlines() if line.startswith(("bank", "shop"))]
    assert [row[:4] for row in rows] == [["bank", "oms_canal", "0", "0"], ["shop", "datahub_blob", "1", "1"]]
    assert [row[-1] for row in rows] == ["?", "?"]
    assert [row[-2] == "never" for row in rows] == [True, False]


def test_stop_ends_the_server_that_holds_the_home(project: Path) -> None:
    lock = project / ".watershed" / "server.lock"
    code, _, error = told("stop")
    assert (code, "No server runs on" in error) == (2, True)
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(lock)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert f"process {holder.pid}" in told("status")[1]
        assert told("stop") == (0, f"Stopped the server at 127.0.0.1:1 (process {holder.pid}).\n", "")
        assert holder.wait(10) in (0, -signal.SIGTERM)
    assert told("stop")[0] == 2


def test_the_version_is_told() -> None:
    assert re.fullmatch(r"watershed \d+\.\d+\.\d+\n", told("--version")[1])


@pytest.mark.parametrize("command", sorted(main.commands))
def test_every_help_has_examples(command: str) -> None:
    assert f"Examples:\n    watershed {command}" in told(command, "--help")[1].replace("  Examples", "Examples")


def test_a_query_comes_from_an_argument_a_file_or_standard_input(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(sql_module, "sql", lambda text, _: asked.append(text))
    (project / "question.sql").write_text("select 2")
    assert told("sql", "select 1")[0] == 0
    assert told("sql", "--file", "question.sql")[0] == 0
    assert told("sql", "-f", "-", text="select 3")[0] == 0
    assert asked == ["select 1", "select 2", "select 3"]
    for arguments in (["sql"], ["sql", "select 1", "-f", "question.sql"]):
        code, _, error = told(*arguments)
        assert (code, "Give one query" in error) == (2, True)
    assert "No such file" in told("sql", "-f", "nowhere.sql")[2]


def test_json_has_arrays_and_null_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    names, rows = ["id", "json of failures"], [[1, '["a\\"b","c"]'], [2, None]]
    assert render(names, rows, OutputFormat.JSONL) == ('{"id":1,"failures":["a\\"b","c"]}\n{"id":2,"failures":null}\n')
    assert render(names, rows[1:] * 2, OutputFormat.JSON) == (
        '[{"id":2,"failures":null},\n {"id":2,"failures":null}]\n'
    )
    assert render(["id"], [], OutputFormat.JSON) == "[]\n"
    described = ([], [("id", "int", None), ("failures", "array<string>", None)])
    monkeypatch.setattr(sql_module, "run", lambda _, statement: described)
    assert with_nested_json(None, "select 1") == (  # type: ignore[arg-type]
        "select `id`, to_json(`failures`, map('ignoreNullFields', 'false')) as `json of failures` from (select 1\n)"
    )
