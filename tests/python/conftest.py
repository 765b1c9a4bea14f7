"""The server that end-to-end tests share, and a small project for tests of the command line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from watershed.home import Home

PROJECT_DIR = Path(__file__).resolve().parents[2]
# Else the folder tests/python/watershed, which has no __init__.py, would be taken for the package.
sys.path.insert(0, str(PROJECT_DIR))
WATERSHED = str(Path(sys.executable).with_name("watershed"))
READY = re.compile(r"Watershed serves 127\.0\.0\.1:(\d+) \(Spark 4\.1\.3, Delta 4\.4\.0, (\d+) UDFs, home (.*)\); stop")
START_SECONDS = 240


def watershed_env(home: Path, port: int | None = None) -> dict[str, str]:
    """Return the environment of a command that uses this home (and server)."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("WATERSHED_")}
    env["WATERSHED_HOME"] = str(home)
    if port is not None:
        env |= {"WATERSHED_HOST": "127.0.0.1", "WATERSHED_PORT": str(port)}
    return env


@dataclass
class Server:
    """A running `watershed serve`."""

    process: subprocess.Popen[str]
    host: str
    port: int
    home: Path
    env: dict[str, str]

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """Run statements' results through a client session of its own."""
        from watershed.client import connect, run

        with connect(self.host, self.port) as cursor:
            return run(cursor, sql)[1]

    @property
    def jvm_pid(self) -> int:
        return int(json.loads((self.home / "server.lock").read_text())["jvm_pid"])

    def stop(self) -> int:
        """End the server by its own pid and give its exit code."""
        if self.process.poll() is None:
            self.process.terminate()
        try:
            return self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise


def start_server(home: Path, *options: str) -> Server:
    """Start a server on a free port and wait until clients may connect."""
    command = [WATERSHED, "serve", "--port", "0", "--driver-memory", "2g", *options]
    # Without the second compiler of the JVM: on tables of a few rows it takes more time than it saves.
    env = watershed_env(home) | {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1"}
    process = subprocess.Popen(
        command, cwd=PROJECT_DIR, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    guard = threading.Timer(START_SECONDS, process.kill)
    guard.start()
    try:
        line = process.stdout.readline()
    finally:
        guard.cancel()
    ready = READY.match(line)
    if ready is None:
        process.kill()
        pytest.fail(f"the server did not start: {line!r} {process.stderr.read()}")
    port = int(ready[1])
    return Server(process, "127.0.0.1", port, home, watershed_env(home, port))


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Start one server for the whole session, on a free port and a home of its own."""
    running = start_server(tmp_path_factory.mktemp("home") / "watershed home")
    yield running
    running.stop()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a project with three sources and no WATERSHED_HOME, and change to it."""
    folder = tmp_path / "project"
    (folder / "seeds").mkdir(parents=True)
    (folder / "dbt_project.yml").write_text("name: test\n")
    sources = [
        "source_name,format,time_zone",
        "shop,datahub_blob,UTC",
        "bank,oms_canal,",
        "other_shop,datahub_blob,UTC",
    ]
    (folder / "seeds" / "cdc_sources.csv").write_text("\n".join(sources) + "\n")
    monkeypatch.chdir(folder)
    monkeypatch.delenv("WATERSHED_HOME", raising=False)
    return folder


@pytest.fixture
def home(project: Path) -> Home:
    """Name the home of the small project."""
    from watershed.home import Home

    return Home(project / ".watershed")
