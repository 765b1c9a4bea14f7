"""Error messages of the command line."""

from __future__ import annotations

import bz2
import gzip
import json
import secrets
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import PROJECT_DIR
from pyhive import exc

from watershed.cli import main
from watershed.configuration import TABLE_KEYS
from watershed.errors import WatershedError
from watershed.home import Home
from watershed.landing import land as land_module
from watershed.landing import tables as landing
from watershed.server import jars
from watershed.server import with_server as with_server_module
from watershed.server.client import spark_message
from watershed.sql import render
from watershed.tables import OutputFormat, aligned

HEADER = "source_name,format,time_zone\n"
WITH_ORDER = "source_name,format,time_zone,order_by\n"
WITH_PLACEHOLDER = "source_name,format,time_zone,unavailable_value\n"
NOT_HEXADECIMAL = ":2: source 'shop' has unavailable_value 'hex:"


def failure(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
    return captured.err


def test_an_unknown_source_lists_the_known_ones(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    error = failure(capsys, "land", "--source", "nobody", "a.jsonl")
    assert f"'nobody' is not in {project / 'seeds' / 'cdc_sources.csv'} (known: bank, other_shop, shop)" in error


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (HEADER + "shop,datahub_blob,\nshop,datahub_tuple,\n", ":3: source_name 'shop' occurs twice"),
        (HEADER + "shop,ogg,\n", ":2: source 'shop' has format 'ogg', which does not exist"),
        (HEADER + ",datahub_blob,\n", ":2: source_name is empty"),
        (HEADER + "shop,datahub_blob\n", ":2: expected 3 cells"),
        (HEADER + "shop,datahub_blob,,position\n", ":2: expected 3 cells"),
        (WITH_ORDER + "shop,datahub_blob,,,\n", ":2: expected 4 cells"),
        (WITH_ORDER + "shop,datahub_blob,,sequence\n", ":2: source 'shop' has order_by 'sequence'"),
        *((WITH_PLACEHOLDER + f"shop,debezium,,{cell}\n", NOT_HEXADECIMAL) for cell in ("hex:zz", "hex:", "hex:616")),
        (HEADER + "shop,datahub_blob,Mars/City\n", ":2: source 'shop' has time_zone 'Mars/City', which does not exist"),
        (HEADER + "shop,datahub_blob,CST\n", "Expected an IANA name such as Asia/Shanghai, or empty for UTC"),
        ("name,format\n", ":1: expected the columns source_name,format,time_zone"),
        ("", ":1: expected the columns source_name,format,time_zone"),
        (HEADER + '"shop,datahub_blob,\n', "not CSV"),
        (None, "is missing.\n  Create it with the columns source_name,format,time_zone"),
    ],
)
def test_a_bad_list_of_sources_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str], content: str | None, expected: str
) -> None:
    path = project / "seeds" / "cdc_sources.csv"
    path.unlink()
    if content is not None:
        path.write_text(content)
    error = failure(capsys, "land", "--source", "shop", "a.jsonl")
    assert str(path) in error
    assert expected in error


def landed(project: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Land a message for the source shop, and return the other output."""
    line = {"topic": "t", "partition": 0, "offset": 0, "value": secrets.token_hex()}
    (project / "one.jsonl").write_text(json.dumps(line))
    with pytest.raises(SystemExit) as ended:
        main(["land", "--source", "shop", "one.jsonl"])
    captured = capsys.readouterr()
    assert (ended.value.code, "Landed 1 message of 1 file as batch" in captured.out) == (0, True), captured.err
    assert captured.out.endswith("\n\nNext: make build; or .venv/bin/dbt build, while a server runs (make serve).\n")
    return captured.err


@pytest.mark.parametrize("zone", ["", "UTC", "Asia/Shanghai", " Asia/Shanghai ", "+08:00", "GMT+8", "Z", "EST5EDT"])
def test_time_zones_that_spark_takes_are_taken(project: Path, capsys: pytest.CaptureFixture[str], zone: str) -> None:
    (project / "seeds" / "cdc_sources.csv").write_text(f"{HEADER}shop,datahub_blob,{zone}\n")
    assert landed(project, capsys) == ""


@pytest.mark.parametrize("column", ["", ",position", ","])
def test_a_wrong_row_costs_its_own_source_only(project: Path, capsys: pytest.CaptureFixture[str], column: str) -> None:
    sources = project / "seeds" / "cdc_sources.csv"
    header = HEADER.strip() + (",order_by" if column else "")
    sources.write_text(f"{header}\nbank,oms_canal,Mars/City{column}\nshop,datahub_blob,{column}\n")
    warned = landed(project, capsys)
    assert warned.startswith(f"Warning: {sources}:2: source 'bank' has time_zone 'Mars/City', which does not exist.\n")
    assert "Expected an IANA name" in warned
    assert "has time_zone 'Mars/City'" in failure(capsys, "land", "--source", "bank", "one.jsonl")


@pytest.mark.parametrize(
    ("seed", "lines", "expected"),
    [
        ("table_keys", ["nobody,,,t,id,,"], ":2: source 'nobody' is not in seeds/cdc_sources.csv."),
        ("table_keys", ['shop,,,t,"[""id""",,'], """:2: key_columns is '["id"', which is not a list of names."""),
        ("table_keys", ["shop,,,t,id,[1],"], ":2: lob_columns is '[1]', which is not a list of names."),
        ("table_keys", ["shop,,,t,id,,", ",d,,t,id,,"], ":3: the rule fits the same tables as "),
        ("table_keys", ["shop,,,t,id"], ":2: expected 7 cells (source_name,"),
        ("table_keys", ["shop,,,t,id,code,,"], f":2: expected 7 cells ({','.join(TABLE_KEYS)}), found 8.\n"),
        ("databus_sources", ["shop,1,t"], ":2: source 'shop' is not a Databus source."),
        ("databus_sources", ["bus,1,t", "bus,1,u"], ":3: source_id 1 of 'bus' occurs twice, first in "),
        ("databus_sources", ["bus,one,t"], ":2: source_id is 'one'.\n  Expected the number that events carry."),
        ("databus_sources", ["bus,1,"], ":2: table_name is empty."),
    ],
)
def test_seeds_for_dbt_are_checked_when_landing(
    project: Path, capsys: pytest.CaptureFixture[str], seed: str, lines: list[str], expected: str
) -> None:
    with (project / "seeds" / "cdc_sources.csv").open("a") as sources:
        sources.write("bus,databus_json,\n")
    file = project / "seeds" / f"{seed}.csv"
    header = (PROJECT_DIR / "seeds" / file.name).read_text().splitlines()[0]
    file.write_text("\n".join([header, *lines, ""]))
    warned = landed(project, capsys)
    assert warned.startswith(f"Warning: {file}{expected}")
    assert len(warned.splitlines()) == 2, "the mistake and what to do"


@pytest.mark.parametrize(
    ("content", "arguments", "expected"),
    [
        ('{"order_id": 1}', [], "If each line is a message itself, land it with --as lines."),
        ('{"topic": "t", "offset": 1}', [], "If each line is a message itself, land it with --as lines."),
        ('{"topic": "t", "partition": 0, "offset": 0, "value": {"id": 1}}', [], "Write the message as a text"),
        (
            gzip.compress(b"{}", mtime=0),
            [],
            "one.jsonl is compressed (gzip), but its name lacks the suffix.\n  Name it one.jsonl.gz, and it is",
        ),
        (gzip.compress(b"{}", mtime=0), ["--as", "lines"], "is compressed (gzip)"),
        (
            bz2.compress(b"{}"),
            [],
            "one.jsonl is compressed (bzip2), but its name lacks the suffix.\n  Unpack it, and land",
        ),
        ("{}", ["--as", "csv"], "'csv' is not one of 'envelope', 'lines', 'bytes', 'array'."),
        ('[{"id": 1}]', [], "If the file is one JSON array of messages, land it with --as array."),
        ('[\n{"id": 1}\n]', [], "If the file is one JSON array of messages, land it with --as array."),
        ('{"id": 1}'.encode("utf-16"), [], "The file is UTF-16 text; convert it: iconv -f UTF-16 -t UTF-8."),
        ("{}", ["--topic", "t"], "one.jsonl: --topic is given, but each envelope line names its topic."),
        ("{}", ["--as", "lines", "--topic", ""], "--topic is empty"),
    ],
)
def test_a_file_that_is_something_else_is_reported_with_the_way_out(
    project: Path, capsys: pytest.CaptureFixture[str], content: str | bytes, arguments: list[str], expected: str
) -> None:
    (project / "one.jsonl").write_bytes(content if isinstance(content, bytes) else content.encode())
    assert expected in failure(capsys, "land", "--source", "shop", *arguments, "one.jsonl")


@pytest.mark.parametrize("moment", ["scan_file", "_commit_files", "_commit_messages"])
@pytest.mark.parametrize("is_before", [True, False])
def test_ctrl_c_states_whether_the_batch_has_landed(
    project: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    moment: str,
    is_before: bool,
) -> None:
    module = land_module if moment == "scan_file" else landing
    done = getattr(module, moment)

    def interrupted(*arguments: object) -> None:
        if not is_before:
            done(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(module, moment, interrupted)
    (project / "one.jsonl").write_text('{"topic": "t", "partition": 0, "offset": 0, "value": "v"}')
    with pytest.raises(SystemExit) as ended:
        main(["land", "--source", "shop", "one.jsonl"])
    assert ended.value.code == 130
    has_landed = moment == "_commit_messages" and not is_before
    expected = (
        "All of its files have landed as batch " if has_landed else "Nothing of this call has landed; land it again."
    )
    assert f"Interrupted. {expected}" in capsys.readouterr().err
    assert len(landing.landed_files(Home(project / ".watershed"))) == int(has_landed)


def test_ctrl_c_in_a_build_states_its_result(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(with_server_module, "_running_port", lambda _: 1)
    monkeypatch.setattr(with_server_module.subprocess, "run", interrupted)
    with pytest.raises(SystemExit) as ended:
        main(["with-server", "dbt", "build"])
    assert ended.value.code == 130
    printed = "Interrupted. Finished models are kept; the next build continues from there.\n"
    assert capsys.readouterr().err == printed


def test_sigterm_ends_the_server_that_was_started_for_a_command(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped: list[str] = []
    server = SimpleNamespace(terminate=lambda: stopped.append("server"), wait=lambda _: 0)
    monkeypatch.setattr(with_server_module, "_announced_port", lambda _: 1)
    monkeypatch.setattr(with_server_module.subprocess, "Popen", lambda *_, **__: server)
    monkeypatch.setattr(with_server_module.subprocess, "run", lambda *_, **__: signal.raise_signal(signal.SIGTERM))
    before = signal.getsignal(signal.SIGTERM)
    try:
        with pytest.raises(SystemExit) as ended:
            main(["with-server", "dbt", "build"])
    finally:
        signal.signal(signal.SIGTERM, before)
    assert ended.value.code == 130
    assert "Interrupted. Finished models are kept" in capsys.readouterr().err
    assert stopped == ["server"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--source", "shop"], "--source is given without a file"),
        (["--source", "shop", "nothing.jsonl"], "nothing.jsonl: no such file"),
        (
            ["--source", "shop", "seeds/*.jsonll"],
            "no such file.\n  The shell did not expand the pattern",
        ),
        (["--source", "shop", "seeds"], "seeds is a folder; --source takes files."),
        (["--source", "shop", "/dev/null"], "/dev/null: not a regular file"),
        (["--source", "shop", "seeds/cdc_sources.csv"], "--as lines (each line is one value), --as bytes"),
        (["--tree", "nowhere"], "--tree nowhere: no such folder"),
        (["--tree", "seeds"], "seeds/cdc_sources.csv is a file at the top of the tree"),
        (["--tree", "."], "Source 'seeds' is not in"),
        (["--tree", "seeds", "more"], "--tree takes no further paths"),
        (
            ["--tree", "seeds", "--source", "shop"],
            "either a source and its files (--source NAME PATH...) or a folder (--tree DIR)",
        ),
        (["a.jsonl"], "either a source and its files"),
        (["--source", "shop", "--as", "avro", "a.jsonl"], "envelope"),
    ],
)
def test_land_states_the_problem(
    project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], expected: str
) -> None:
    (project / "dbt_project.yml").rename(project / "kept")
    (project.parent / "dbt_project.yml").write_text("")
    (project.parent / "seeds").symlink_to(project / "seeds")
    (project / "kept").unlink()
    assert expected in failure(capsys, "land", *arguments)


def test_a_folder_inside_a_source_folder_is_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "tree" / "shop" / "deeper").mkdir(parents=True)
    assert "is a folder inside the folder of source 'shop'" in failure(capsys, "land", "--tree", "tree")


def test_outside_a_project_the_installed_one_is_used(tmp_path: Path) -> None:
    program = "from watershed.home import find_project_dir; print(find_project_dir())"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()) == Path(jars.__file__).parents[2]


@pytest.mark.parametrize("name", ["WATERSHED_PORT"])
@pytest.mark.parametrize("value", ["abc", "-1", "65536"])
def test_a_port_that_is_none_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    assert f"{name} is {value!r}" in failure(capsys, "sql", "select 1")
    assert "Invalid value for '--port'" in failure(capsys, "serve", f"--port={value}")


def test_sql_without_a_server_states_how_to_start_one(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATERSHED_PORT", "1")
    error = failure(capsys, "sql", "select 1")
    assert "No Watershed server answers at 127.0.0.1:1" in error
    assert "watershed serve" in error


def test_missing_java_names_the_package(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(project))
    assert "apt-get install openjdk-17-jre-headless" in failure(capsys, "serve")


def test_a_java_of_another_version_is_refused(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = project / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(project))
    with pytest.raises(WatershedError, match="is Java 11; Spark needs 17 or 21"):
        jars.check_java()


def test_only_the_jars_of_delta_are_installed(tmp_path: Path) -> None:
    version = jars.DELTA_VERSION
    names = [f"io.delta_delta-{part}-{version}.jar" for part in ("spark_4.1_2.13", "storage", "kernel-api")]
    for name in [*names, "com.fasterxml.jackson.core_jackson-core-2.13.5.jar"]:
        (tmp_path / name).write_text(name)
    folder = tmp_path / "share" / "jars"
    for _ in range(2):
        jars._install(jars.DELTA, [tmp_path / name for name in names], folder)
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)
    assert [path.name for path in folder.parent.iterdir()] == ["jars"]


def test_jars_that_cannot_be_resolved_state_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        jars, "_RESOLVE", "print('Server access error at url https://repo1: timed out'); raise SystemExit(1)"
    )
    with pytest.raises(WatershedError, match=r"(?s)cannot be resolved:.*Server access error.*Maven Central"):
        jars._resolve(jars.DELTA)


def test_two_that_need_jars_at_once_resolve_them_one_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    installed: list[str] = []
    resolving = threading.Lock()

    def resolve(_: jars.Jars) -> list[Path]:
        assert resolving.acquire(blocking=False), "both at once"
        time.sleep(0.3)
        resolving.release()
        return []

    monkeypatch.setattr(jars, "_complete", lambda *_: bool(installed))
    monkeypatch.setattr(jars, "_resolve", resolve)
    monkeypatch.setattr(jars, "_install", lambda *_: installed.append("jar"))
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(jars.jars_of, [jars.S3, jars.S3]))
    assert installed == ["jar"]


def test_tables_align_and_distinguish_null_from_text() -> None:
    rows = [(1, None, "a\nb"), (20, "NULL", "\x1b[31m")]
    assert render(["n", "text", "lines"], rows, OutputFormat.TABLE).splitlines() == [
        " n  text    lines",
        "--  ------  --------",
        " 1  NULL    a",
        "            b",
        '20  "NULL"  \\x1b[31m',
        "(2 rows)",
    ]
    assert render(["a", "b", "c"], [(None, "", 'x,"y"')], OutputFormat.CSV) == 'a,b,c\n,"","x,""y"""\n'
    assert aligned(["a"], []) == "a\n-"


@pytest.mark.parametrize(
    ("java", "expected"),
    [
        (
            "org.apache.hive.service.cli.HiveSQLException: Error running query: [NOT_FOUND] "
            "org.apache.spark.sql.catalyst.ExtendedAnalysisException: [NOT_FOUND] no table\n"
            "in line 2\n\tat org.a.B.c(B.scala:1)",
            "[NOT_FOUND] no table\nin line 2",
        ),
        (
            "Error running query: [P] a.b.ParseException: \n[P] near\n\n== SQL ==\nselec\n\tat a.b(C.java)",
            "[P] near\n\n== SQL ==\nselec",
        ),
        ("something else", "something else"),
        (
            "a.AnalysisException: [UNRESOLVED_COLUMN] No column `x`.; line 1 pos 7;\n'Project ['x]\n+- Y",
            "[UNRESOLVED_COLUMN] No column `x`.; line 1 pos 7",
        ),
        (
            "a.AnalysisException: [TABLE_OR_VIEW_NOT_FOUND] No view `x`. Verify the spelling\n"
            "If you did not.\nTo tolerate use DROP. SQLSTATE: 42P01; line 1 pos 14;\n'Project [*]",
            "[TABLE_OR_VIEW_NOT_FOUND] No view `x`.; line 1 pos 14\n  See: show tables in watershed",
        ),
    ],
)  # fmt: skip
def test_a_spark_error_is_reported_without_java(java: str, expected: str) -> None:
    response = SimpleNamespace(status=SimpleNamespace(errorMessage=java))
    assert spark_message(exc.OperationalError(response)) == expected
