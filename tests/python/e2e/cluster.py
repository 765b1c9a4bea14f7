"""A Spark cluster of its own on this machine: a standalone master and workers, started from the jars of PySpark."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from watershed.jars import spark_environment

SECONDS = 60
ADDRESS = "127.0.0.1"


@dataclass
class Cluster:
    """A running cluster."""

    master: str
    workers: list[subprocess.Popen[bytes]]

    def executors(self) -> list[psutil.Process]:
        """The JVMs of the executors that run now."""
        children = [child for worker in self.workers for child in psutil.Process(worker.pid).children(recursive=True)]
        return [child for child in children if child.name() == "java"]


@contextlib.contextmanager
def running_cluster(folder: Path, workers: int = 2, cores: int = 1) -> Iterator[Cluster]:
    """Run a master and workers of so many cores each; what they say is in logs of the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as held:
        log = folder / "master.log"
        held.enter_context(_started("master.Master", log, "--host", ADDRESS, "--port", "0", "--webui-port", "0"))
        master = _master_of(log)
        options = ("--host", ADDRESS, "--cores", str(cores), "--memory", "2g", "--webui-port", "0")
        started = [
            held.enter_context(
                _started(
                    "worker.Worker", folder / f"worker-{number}.log", *options,
                    "--work-dir", str(folder / f"work-{number}"), master,
                )
            )
            for number in range(workers)
        ]  # fmt: skip
        yield Cluster(master, started)


@contextlib.contextmanager
def _started(name: str, log: Path, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    environment = spark_environment() | {"SPARK_LOCAL_IP": ADDRESS, "SPARK_DAEMON_MEMORY": "256m"}
    command = [f"{environment['SPARK_HOME']}/bin/spark-class", f"org.apache.spark.deploy.{name}", *options]
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(SECONDS)


def _master_of(log: Path) -> str:
    deadline = time.monotonic() + SECONDS
    while True:
        for line in log.read_text().splitlines():
            if "Starting Spark master at " in line:
                return line.rsplit(" ", 1)[1]
        assert time.monotonic() < deadline, log.read_text()[-3000:]
        time.sleep(0.2)
