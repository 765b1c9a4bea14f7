"""Watershed as users run it: `watershed land`, `watershed serve` and `dbt run`, each in its own process."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.machine import Timing, timed
from watershed.samples import SAMPLES, write_seeds
from watershed.server.client import LOOPBACK, connect, run
from watershed.sources import SWITCH

SCHEMA = "watershed"
_START_SECONDS = 180.0
_STOP_SECONDS = 30.0


class Project:
    """The dbt project with separate data, independent of the user's.

    Args:
        project_dir: The folder of dbt_project.yml.
        work_dir: The folder of the data: WATERSHED_HOME and dbt's target and logs.
    """

    def __init__(self, project_dir: Path, work_dir: Path) -> None:
        """Set the paths and write the seeds of the samples, whose sources are measured, without starting anything."""
        # An earlier commit has them among the seeds.
        if (project_dir / SAMPLES).is_dir():
            write_seeds(project_dir)
        self.project_dir = project_dir
        self.home = work_dir / "home"
        self.target = work_dir / "target"
        self.port = 0
        self._server_pid: int | None = None
        self._logs = work_dir / "logs"

    @property
    def server_pid(self) -> int:
        """The process of the server that runs."""
        assert self._server_pid is not None
        return self._server_pid

    def land(self, source_name: str, files: Sequence[Path]) -> Timing:
        """Land files as one batch."""
        return self._run(["-m", "watershed.cli", "land", "--source", source_name, *map(str, files)], "land")

    def land_tree(self, folder: Path) -> Timing:
        """Land a folder of one folder per source as one batch."""
        return self._run(["-m", "watershed.cli", "land", "--tree", str(folder)], "land")

    def store_schemas(self, source_name: str, files: Sequence[Path]) -> None:
        """Store Avro writer schemas of a source."""
        self._run(["-m", "watershed.cli", "schemas", "--source", source_name, *map(str, files)], "schemas")

    @contextlib.contextmanager
    def served(self, memory: str) -> Iterator[None]:
        """Run the server on a free port during the block."""
        command = [sys.executable, "-m", "watershed.cli", "serve", "--port", "0", "--driver-memory", memory]
        self._logs.mkdir(parents=True, exist_ok=True)
        with (self._logs / "serve.log").open("wb") as errors:
            server = subprocess.Popen(
                command, cwd=self.project_dir, env=self._environment(), stdout=subprocess.PIPE, stderr=errors, text=True
            )
        # A server that neither starts nor exits would block this process forever.
        alarm = threading.Timer(_START_SECONDS, server.kill)
        alarm.start()
        try:
            assert server.stdout is not None
            line = next((line for line in server.stdout if "serves" in line), "")
            alarm.cancel()
            found = re.search(rf"{re.escape(LOOPBACK)}:(\d+)", line)
            if not found:
                raise RuntimeError(f"the server did not start; see {self._logs / 'serve.log'}")
            self.port = int(found[1])
            self._server_pid = server.pid
            yield
        finally:
            self._server_pid = None
            alarm.cancel()
            server.terminate()
            try:
                server.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()

    def dbt(self, command: str, *arguments: str) -> tuple[Timing, dict[str, float]]:
        """Run dbt; return the time of the whole command and the seconds of each node reported by dbt."""
        options = ["--profiles-dir", "profiles", "--target-path", str(self.target), "--log-path", str(self._logs)]
        program = ["-c", "from dbt.cli.main import cli; cli()"]
        timing = self._run([*program, command, *options, *arguments], f"dbt-{command}")
        results = json.loads((self.target / "run_results.json").read_text(encoding="utf-8"))["results"]
        return timing, {result["unique_id"].rpartition(".")[2]: result["execution_time"] for result in results}

    def sql(self, *statements: str) -> Timing:
        """Run statements sequentially in one session; return the total time."""
        timings: list[Timing] = []
        with connect(LOOPBACK, self.port) as cursor, timed(timings.append, self._server_pid):
            for statement in statements:
                run(cursor, statement)
        return timings[0]

    def _run(self, arguments: Sequence[str], name: str) -> Timing:
        timings: list[Timing] = []
        self._logs.mkdir(parents=True, exist_ok=True)
        log = self._logs / f"{name}.log"
        with log.open("wb") as output, timed(timings.append, self._server_pid):
            done = subprocess.run(
                [sys.executable, *arguments],
                cwd=self.project_dir,
                env=self._environment(),
                stdout=output,
                stderr=subprocess.STDOUT,
                check=False,
            )
        if done.returncode != 0:
            end = log.read_text(encoding="utf-8", errors="replace")[-3000:]
            raise RuntimeError(f"{name} ended with {done.returncode}; the end of {log}:\n{end}")
        return timings[0]

    def _environment(self) -> dict[str, str]:
        paths = [str(self.project_dir), str(self.project_dir / "udfs"), os.environ.get("PYTHONPATH", "")]
        return os.environ | {
            "PYTHONPATH": os.pathsep.join(path for path in paths if path),
            SWITCH: "1",
            "WATERSHED_HOME": str(self.home),
            "WATERSHED_HOST": LOOPBACK,
            "WATERSHED_PORT": str(self.port),
            "WATERSHED_SCHEMA": SCHEMA,
        }
