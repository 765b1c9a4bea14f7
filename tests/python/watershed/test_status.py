"""`watershed status`, `watershed stop`, `--version` and where the text of a query comes from."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from pyhive import hive

from watershed import query_hints
from watershed import sql as sql_module
from watershed.cli import main
from watershed.home import Home
from watershed.lock import Lock
from watershed.query_hints import hint_of
from watershed.server.connection import MACHINE_SETTING, OtherHomeError, address_of, check_home, home_settings
from watershed.sql import WIDEST_CELL, Layout, render, with_nested_json
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


def test_without_a_server_status_shows_landed_messages(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATERSHED_PORT", "1")
    (project / "one.jsonl").write_text('{"topic": "t", "partition": 0, "offset": 0, "value": "v"}')
    assert told("land", "--source", "shop", "one.jsonl")[0] == 0
    with (project / "seeds" / "cdc_sources.csv").open("a") as sources:
        sources.write("mars,oms_shareplex,Mars/City\n")
    code, text, _ = told("status")
    assert code == 1
    assert text.startswith("Warnings: 2 warnings.\n  warning  No Watershed server answers at 127.0.0.1:1")
    assert "Server      none runs on this home; start one with: watershed serve" in text
    assert "Last build  not known without a server" in text
    assert "has time_zone 'Mars/City', which does not exist" in text
    rows = [re.split(r" {2,}", line) for line in text.splitlines() if line.startswith(("bank", "shop"))]
    assert [row[:4] for row in rows] == [["bank", "oms_canal", "0", "0"], ["shop", "datahub_blob", "1", "1"]]
    assert [row[-1] for row in rows] == ["?", "?"]
    assert [row[4] == "never" for row in rows] == [True, False]


def test_the_json_of_status_has_a_stable_shape(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATERSHED_PORT", "1")
    (project / "one.jsonl").write_text('{"topic": "t", "partition": 0, "offset": 0, "value": "v"}')
    assert told("land", "--source", "shop", "one.jsonl")[0] == 0
    code, text, error = told("status", "--format", "json")
    found = json.loads(text)
    assert (code, error) == (1, "")
    assert (found["version"], found["verdict"], found["exit_code"]) == (1, "warnings", 1)
    assert list(found) == [
        *("version", "verdict", "exit_code", "asked_at", "home", "store", "schema", "server", "last_build"),
        *("sources", "other_sources", "findings", "unknown"),
    ]
    assert found["home"] == str(project / ".watershed")
    assert found["server"] == {"is_running": False, "address": None, "process": None, "assumption": None}
    assert found["last_build"] == {"at": None, "age_seconds": None, "tests": None}
    shop = next(source for source in found["sources"] if source["source_name"] == "shop")
    assert (shop["messages"], shop["unread"], shop["state"]) == (1, None, None)
    assert list(shop) == [
        *("source_name", "format", "state", "messages", "unread", "last_landed_at", "complete_up_to", "lag_seconds"),
    ]
    (finding,) = found["findings"]
    assert (finding["level"], finding["kind"], finding["sources"], finding["affected"]) == (
        "warning",
        "no_server",
        [],
        None,
    )
    assert "make serve" in finding["remedy"]
    assert any(text.startswith("Recent quarantine, ordering_anomalies") for text in found["unknown"])


def test_sources_that_are_not_configured_are_left_out_with_a_line(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATERSHED_PORT", "1")
    (project / "one.jsonl").write_text('{"topic": "t", "partition": 0, "offset": 0, "value": "v"}')
    assert told("land", "--source", "shop", "one.jsonl")[0] == 0
    seed = project / "seeds" / "cdc_sources.csv"
    seed.write_text("".join(line for line in seed.read_text().splitlines(True) if not line.startswith("shop")))
    _, text, _ = told("status")
    assert not [line for line in text.splitlines() if line.startswith("shop")]
    assert text.endswith("Left out, because seeds/cdc_sources.csv does not configure them: shop.\n")


def test_the_server_of_another_home_is_refused(project: Path) -> None:
    home, other = Home(project / ".watershed"), Home(project / "other")
    settings = home_settings(other)
    for root, expected in ((project / "other", ""), (project / "folder" / ".." / "other", "")):
        (project / "folder").mkdir(exist_ok=True)
        assert check_home(Cursor(settings), Home(root), "h:1") == expected
    with pytest.raises(OtherHomeError) as refused:
        check_home(Cursor(settings), home, "h:1")
    for words in ("h:1", str(home.root), str(other.root), "WATERSHED_PORT", f"WATERSHED_HOME={other.root}"):
        assert words in str(refused.value)
    elsewhere = settings | {MACHINE_SETTING: "another-machine"}
    assert f"serves {other.root} on another-machine" in check_home(Cursor(elsewhere), home, "h:1")
    assert "does not report its home; it is assumed to serve" in check_home(Cursor({}), home, "h:1")


class Cursor(hive.Cursor):
    """Answers `set NAME` as a Thrift server does."""

    def __init__(self, settings: dict[str, str]) -> None:
        self._settings, self._name = settings, ""

    def execute(self, operation: str, *_: object, **__: object) -> None:
        self._name = operation.removeprefix("set ")

    @property
    def description(self) -> list[tuple[str, ...]]:
        return [("key",), ("value",)]

    def fetchall(self) -> list[tuple[str, str]]:
        return [(self._name, self._settings.get(self._name, "<undefined>"))]


def test_the_server_of_the_home_is_found_without_a_port(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WATERSHED_HOST", "WATERSHED_PORT"):
        monkeypatch.delenv(name, raising=False)
    assert address_of(home) == ("127.0.0.1", 10000)
    lock = Lock(home.server_lock)
    assert lock.try_acquire()
    lock.describe(host="127.0.0.2", port=10555)
    assert address_of(home) == ("127.0.0.2", 10555)
    monkeypatch.setenv("WATERSHED_PORT", "7")
    assert address_of(home) == ("127.0.0.2", 7)
    monkeypatch.setenv("WATERSHED_HOST", "elsewhere")
    monkeypatch.delenv("WATERSHED_PORT")
    assert address_of(home) == ("elsewhere", 10000)
    lock.release()


def test_stop_ends_the_server_that_holds_the_home(project: Path) -> None:
    lock = project / ".watershed" / "server.lock"
    code, _, error = told("stop")
    assert (code, "No server runs on the home" in error) == (2, True)
    assert "To stop the server of another home, set WATERSHED_HOME to that home." in error
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(lock)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert f"process {holder.pid}" in told("status")[1]
        assert told("stop") == (0, f"Stopped the server at 127.0.0.1:1 (process {holder.pid}).\n", "")
        assert holder.wait(10) in (0, -signal.SIGTERM)
    assert told("stop")[0] == 2


def test_the_version_is_reported() -> None:
    assert re.fullmatch(r"watershed \d+\.\d+\.\d+\n", told("--version")[1])


@pytest.mark.parametrize("command", sorted(main.commands))
def test_every_help_has_examples(command: str) -> None:
    assert f"Examples:\n    watershed {command}" in told(command, "--help")[1].replace("  Examples", "Examples")


def test_a_query_comes_from_an_argument_a_file_or_standard_input(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(sql_module, "sql", lambda text, *_: asked.append(text))
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


WIDE = ["id", "row_image"], [[1, "x" * 100], [22, None]]


def test_a_table_cuts_wide_values_and_names_the_way_to_see_them() -> None:
    lines = render(*WIDE, OutputFormat.TABLE).splitlines()
    assert lines[2] == " 1  " + "x" * (WIDEST_CELL - 1) + "…"
    assert lines[-2:] == [
        "(2 rows)",
        "Long values are truncated: --wide prints them in full, --expanded prints a line per column.",
    ]
    assert render(*WIDE, OutputFormat.TABLE, Layout.WIDE).splitlines()[2:] == [
        " 1  " + "x" * 100,
        "22  NULL",
        "(2 rows)",
    ]
    assert render(["id"], [[1]], OutputFormat.TABLE).endswith("(1 row)\n")
    wide_letters = render(["text"], [["表" * 50]], OutputFormat.TABLE).splitlines()[2]
    assert wide_letters == "表" * 29 + "…"


def test_an_expanded_row_has_a_line_per_column() -> None:
    assert render(*WIDE, OutputFormat.TABLE, Layout.EXPANDED).splitlines() == [
        "- row 1 ----",
        "id        | 1",
        "row_image | " + "x" * 100,
        "- row 2 ----",
        "id        | 22",
        "row_image | NULL",
        "(2 rows)",
    ]


def test_csv_and_json_are_never_cut() -> None:
    for output_format in (OutputFormat.CSV, OutputFormat.JSON, OutputFormat.JSONL):
        assert "x" * 100 in render(*WIDE, output_format)


@pytest.mark.parametrize(
    ("statement", "message", "hint"),
    [
        ("select 1; select 2", "[PARSE_SYNTAX_ERROR] at 'select'", "A call runs one statement"),
        ("select ';' form t", "[PARSE_SYNTAX_ERROR] at 't'", ""),
        (
            "select row_image.status from t",
            '[INVALID_EXTRACT_BASE_FIELD_TYPE] Can\'t extract a value from "row_image".',
            "read_columns(row_image)['name']",
        ),
        ("select a.b from t", '[INVALID_EXTRACT_BASE_FIELD_TYPE] Can\'t extract a value from "a".', ""),
        ("select * from x", "[DIVIDE_BY_ZERO]", ""),
    ],
)
def test_common_mistakes_have_a_hint(statement: str, message: str, hint: str) -> None:
    found = hint_of(Cursor({}), statement, message)
    assert hint in found
    assert bool(hint) == bool(found)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("`current_rows`", "Did you mean watershed.current_rows?"),
        ("`watershed`.`curent_rows`", "Did you mean watershed.current_rows?"),
        ("`elsewhere`", ""),
    ],
)
def test_an_unknown_table_names_the_one_that_was_meant(monkeypatch: pytest.MonkeyPatch, name: str, hint: str) -> None:
    monkeypatch.delenv("WATERSHED_SCHEMA", raising=False)
    tables = [("watershed", table, False) for table in ("changelog", "current_rows")]
    monkeypatch.setattr(query_hints, "run", lambda *_: ([], tables))
    message = f"[TABLE_OR_VIEW_NOT_FOUND] The table or view {name} cannot be found.; line 1 pos 14"
    assert hint_of(Cursor({}), "", message) == hint
