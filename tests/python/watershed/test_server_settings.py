"""The options of the server's JVM, the format of its tables, and the port of the next server."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from watershed.errors import WatershedError
from watershed.home import Home
from watershed.lock import Lock
from watershed.server import with_server
from watershed.server.access import Access
from watershed.server.client import NoServerError
from watershed.server.file_format import FORMATS, VARIABLE, configured_format
from watershed.server.jars import DELTA
from watershed.server.spark_session import JAVA_OPTIONS, SERVER_JAVA_OPTIONS, java_options_not_overridden, settings
from watershed.server.with_server import next_port

PARALLEL, CODE_CACHE, *OTHERS = JAVA_OPTIONS


@pytest.mark.parametrize(
    ("given", "ours"),
    [
        ("", list(JAVA_OPTIONS)),
        ("-XX:+UseG1GC", [CODE_CACHE, *OTHERS]),
        ("-Dx=1 -XX:ReservedCodeCacheSize=100m -Xss4m", [PARALLEL, *OTHERS]),
        ("-XX:+UseZGC -XX:ReservedCodeCacheSize=1g", OTHERS),
        ("-XX:+UseStringDeduplication -XX:+UseGCOverheadLimit", list(JAVA_OPTIONS)),
    ],
)
def test_options_of_the_user_win(given: str, ours: list[str]) -> None:
    assert java_options_not_overridden(given) == ours


def test_the_server_leaves_generated_classes_to_the_first_compiler() -> None:
    """Java is asked, because it starts no JVM with directives that it cannot read."""
    command = ["java", *(option.replace('"', "") for option in SERVER_JAVA_OPTIONS), "-version"]
    assert "1 compiler directives added" in subprocess.check_output(command, text=True, stderr=subprocess.DEVNULL)
    of_user = "-XX:+UnlockDiagnosticVMOptions"
    assert java_options_not_overridden(of_user, SERVER_JAVA_OPTIONS) == list(SERVER_JAVA_OPTIONS)
    of_user = "-XX:CompilerDirectivesFile=mine.json"
    assert not [one for one in java_options_not_overridden(of_user, SERVER_JAVA_OPTIONS) if "Directives" in one]


@pytest.mark.parametrize("name", ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "SPARK_SUBMIT_OPTS"])
def test_options_of_the_user_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "-XX:+UseSerialGC")
    options = settings(Home(tmp_path), 10000, "local[*]", "1g", [], Access())["spark.driver.extraJavaOptions"]
    assert "UseParallelGC" not in options
    assert "ReservedCodeCacheSize" in options


@pytest.mark.parametrize(("master", "expected"), [("k8s://https://the-api:6443", "true"), ("yarn", None)])
def test_nothing_of_conf_goes_into_a_config_map(tmp_path: Path, master: str, expected: str | None) -> None:
    home = Home(tmp_path)
    home.scratch.mkdir(parents=True)
    chosen = settings(home, 10000, master, "1g", [], Access())
    assert chosen.get("spark.kubernetes.executor.disableConfigMap") == expected
    assert Path(chosen["spark.submit.pyFiles"]).is_file(), "the functions go along"


def test_tables_are_of_delta_unless_the_variable_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert configured_format() == FORMATS["delta"]
    monkeypatch.setenv(VARIABLE, "")
    assert configured_format() == FORMATS["delta"]
    monkeypatch.setenv(VARIABLE, "iceberg")
    assert configured_format() == FORMATS["iceberg"]
    assert DELTA in FORMATS["iceberg"].jars, "landing is Delta"
    monkeypatch.setenv(VARIABLE, "parquet")
    with pytest.raises(WatershedError, match="WATERSHED_FILE_FORMAT is 'parquet'; expected delta or iceberg"):
        configured_format()


def test_the_next_server_takes_the_port_of_the_last_if_it_is_free(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert next_port(home) == 0
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        home.server_lock.write_text(json.dumps({"pid": 1, "port": port}))
        assert next_port(home) == 0
    assert next_port(home) == port


def test_a_server_that_starts_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home, attempts = Home(tmp_path), []

    @contextlib.contextmanager
    def connect(_: str, port: int) -> Iterator[None]:
        attempts.append(port)
        if len(attempts) < 3:
            raise NoServerError("nobody answers")
        yield

    monkeypatch.setattr(with_server, "connect", connect)
    monkeypatch.setattr(with_server.time, "sleep", lambda _: None)
    holder = Lock(home.server_lock)
    assert holder.try_acquire()
    holder.describe(port=4711)
    assert with_server._running_port(home) == 4711
    assert attempts == [4711] * 3
    assert capsys.readouterr().out == f"Waiting for the server that holds {tmp_path} ...\n"

    attempts.clear()
    monkeypatch.setattr(with_server, "_START_SECONDS", -1.0)
    with pytest.raises(WatershedError, match=r"does not answer: nobody answers\n.*watershed stop"):
        with_server._running_port(home)
    holder.release()
    assert with_server._running_port(home) is None
