"""The server that end-to-end tests share, and a small project for tests of the command line."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from xdist.scheduler import LoadScopeScheduling

from watershed.sources import read_formats

if TYPE_CHECKING:
    from dbt_project import Project
    from playwright.sync_api import Browser
    from xdist.remote import Producer

    from watershed.home import Home

PROJECT_DIR = Path(__file__).resolve().parents[2]
# Else the folder tests/python/watershed, which has no __init__.py, would be taken for the package.
sys.path.insert(0, str(PROJECT_DIR))
WATERSHED = str(Path(sys.executable).with_name("watershed"))
READY = re.compile(r"Watershed serves (127\.0\.0\.\d):(\d+) \(Spark 4\.1\.3, Delta 4\.4\.0, \d+ UDFs, home .*\); stop")
START_SECONDS = 240
# Tests with a server that `make test` runs, all on one server; the others are proofs (`make proof`).
QUICK = ("test_pipeline.py", "test_queries.py", "test_serve.py")
# Quick with Chromium, because the samples are built anyway; else proofs, which fail without it.
PAGES = ("test_report_page.py", "test_site.py")
# What looks at the built samples; tests/README.md has the split.
LOOK_AT_SAMPLES = ("test_pipeline.py", "test_queries.py", *PAGES)
ONE_SERVER = "one server"
# Files whose tests share what takes long to prepare, apart from those with a server.
ONE_WORKER = ("test_land_kafka.py", "test_pages.py", "test_selectors.py", "test_registry.py", "test_macros.py")
# What takes longest begins first, in this order: else one worker ends with it while the other has nothing to do. The
# short tests without a server come last for the same reason.
LONGEST = (
    *(ONE_SERVER, "test_delivery.py", "test_cluster.py", "test_crash.py", "test_readme.py", "test_fixed_cost.py"),
    *("test_databus.py", "test_builds_at_once.py", "test_large_messages.py", "test_invariants.py", "test_lint.py"),
    *("test_maintenance.py", "test_generated_snapshots.py", "test_writers.py"),
)
# The tables of all tests are of this format: `make test-iceberg` sets it.
FORMAT_VARIABLE = "WATERSHED_FILE_FORMAT"
# How long a page may take to fill itself: the other worker's builds take both cores meanwhile.
PAGE_MILLISECONDS = 60_000
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


class OneServer(LoadScopeScheduling):
    """Gives tests to workers one by one; with a server file by file, and those that share one server to one worker."""

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(Path(nodeid.partition("::")[0])) or nodeid


def scope_of(file: Path) -> str:
    """Return the group in which the tests of a file are sent to a worker; empty if each is sent separately."""
    if file.name in {*QUICK, *LOOK_AT_SAMPLES}:
        return ONE_SERVER
    return file.name if file.parent.name == "e2e" or file.name in ONE_WORKER else ""


# First, so that `-m` chooses by the marker that is added here.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the proofs, the longest first; stop where a file looks at the samples and the scheduler does not know."""
    ranks = {name: rank for rank, name in enumerate(LONGEST)}
    quick = QUICK if chromium() is None else QUICK + PAGES
    items.sort(key=lambda item: ranks.get(scope_of(item.path) or item.path.name, len(ranks)))
    for item in items:
        if item.get_closest_marker("e2e") and item.path.name not in quick:
            item.add_marker("proof")
        if "samples" in getattr(item, "fixturenames", ()) and item.path.name not in LOOK_AT_SAMPLES:
            raise pytest.UsageError(
                f"{item.path}: {item.name} uses the fixture samples, but {item.path.name} is not in LOOK_AT_SAMPLES "
                f"({Path(__file__).name}), so two workers would build them. Add it there."
            )


def chromium() -> str | None:
    """Find Chromium, under any of its names."""
    return next((path for name in CHROMIUM if (path := shutil.which(name))), None)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """Use our own: `--dist loadgroup` has no effect with pytest 9.2, and scheduling by number of tests splits files."""
    config.option.loadscopereorder = False
    return OneServer(config, log)


def watershed_env(home: Path, port: int | None = None) -> dict[str, str]:
    """Return the environment of a command that uses this home (and server)."""
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("WATERSHED_") or name == FORMAT_VARIABLE
    }
    env["WATERSHED_HOME"] = str(home)
    if port is not None:
        env |= {"WATERSHED_HOST": "127.0.0.1", "WATERSHED_PORT": str(port)}
    return env


# Nothing may depend on the language of a machine.
LANGUAGE = "-Duser.language=tr"
# A test's own server runs most code once, so the JVM's C2 compiler would only take processor time from the others
# (benchmarks/NOTES.md). The servers that a worker's tests share run long enough to gain from it.
JAVA_OPTIONS = f"-XX:TieredStopAtLevel=1 {LANGUAGE}"


# As dbt's sessions have them: to compile a plan takes longer than to read the rows of a test.
_OUTPUTS = yaml.safe_load((PROJECT_DIR / "profiles" / "profiles.yml").read_text("utf-8"))["watershed"]["outputs"]
SESSION: dict[str, str] = _OUTPUTS["server"]["server_side_parameters"]


@dataclass
class Server:
    """A running `watershed serve`."""

    process: subprocess.Popen[str]
    host: str
    port: int
    home: Path
    env: dict[str, str]

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of a statement, in a session of its own."""
        from pyhive import hive

        from watershed.server.client import run

        with contextlib.closing(hive.connect(self.host, self.port, configuration=SESSION)) as connection:
            return run(connection.cursor(), sql)[1]

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


def start_server(
    home: Path, *options: str, variables: Mapping[str, str] | None = None, java_options: str = JAVA_OPTIONS
) -> Server:
    """Start a server on a free port and wait until clients may connect; the variables are those of clients too."""
    variables = variables or {}
    command = [WATERSHED, "serve", "--port", "0", "--driver-memory", "2g", *options]
    env = watershed_env(home) | {"JAVA_TOOL_OPTIONS": java_options} | variables
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
    host, port = ready[1], int(ready[2])
    return Server(process, host, port, home, watershed_env(home, port) | {"WATERSHED_HOST": host} | variables)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Start one server for the whole session, on a free port and a home of its own."""
    running = start_server(tmp_path_factory.mktemp("home") / "watershed home", java_options=LANGUAGE)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def samples(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Land the samples and build them once, in schema samples: tests only read them."""
    from dbt_project import SAMPLE_SCHEMAS, copy_project

    built = copy_project(tmp_path_factory.mktemp("samples") / "project", server, "samples", has_samples=True)
    for source in ("databus_binary", "databus_json"):
        built.store_schemas(source, *SAMPLE_SCHEMAS)
    built.land_samples()
    built.dbt("build", "--exclude-resource-type", "unit_test", "test")
    return built


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start headless Chromium; tests fail without it, because skipped tests would go unnoticed."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PAGE_MILLISECONDS)
    found = chromium()
    if found is None:
        pytest.fail("Chromium is missing. `make browser` or `apt-get install chromium` installs it.", pytrace=False)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=found)
        yield running
        running.close()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a project with three sources and no WATERSHED_HOME, and change to it."""
    folder = tmp_path / "project"
    (folder / "seeds").mkdir(parents=True)
    names = {name: {} for name in read_formats(PROJECT_DIR)}
    (folder / "dbt_project.yml").write_text(json.dumps({"name": "test", "vars": {"formats": names}}))
    sources = [
        "source_name,format,time_zone",
        "shop,datahub_blob,UTC",
        "bank,oms_canal,",
        "other_shop,datahub_blob,UTC",
    ]
    (folder / "seeds" / "cdc_sources.csv").write_text("\n".join(sources) + "\n")
    monkeypatch.chdir(folder)
    for name in ("WATERSHED_HOME", "WATERSHED_STORE"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def home(project: Path) -> Home:
    """Name the home of the small project."""
    from watershed.home import Home

    return Home(project / ".watershed")
