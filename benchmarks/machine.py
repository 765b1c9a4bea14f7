"""The conditions of the figures: the machine, the versions, and its load."""

from __future__ import annotations

import datetime as dt
import os
import platform
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import psutil  # type: ignore[import-untyped]

PACKAGES = ("pyspark", "dbt-core", "dbt-spark", "deltalake", "duckdb", "pyarrow", "msgspec", "jiter")


@dataclass(frozen=True)
class Timing:
    """One measured step: wall seconds, processor seconds of all cores, and the 1-minute load average at its start.

    On a busy machine the processor seconds are the fairer figure.
    """

    seconds: float
    cpu_seconds: float
    load_before: float
    server_cpu_seconds: float = 0.0


@contextmanager
def timed(keep: Callable[[Timing], object], server_pid: int | None = None) -> Iterator[None]:
    """Measure a block and report its time if the block succeeds.

    Args:
        keep: Called with the time.
        server_pid: A process that works for the block; it and its descendants count too.
    """
    load = os.getloadavg()[0]
    own_start, server_start = _own_cpu_seconds(), _server_cpu_seconds(server_pid)
    start = time.perf_counter()
    yield
    seconds = time.perf_counter() - start
    own, of_server = _own_cpu_seconds() - own_start, _server_cpu_seconds(server_pid) - server_start
    keep(Timing(seconds, own + of_server, load, of_server))


def _own_cpu_seconds() -> float:
    """Sum the processor seconds of this process and of its ended children."""
    own = os.times()
    return own.user + own.system + own.children_user + own.children_system


def _server_cpu_seconds(server_pid: int | None) -> float:
    """Sum the processor seconds of a server and all its descendants, living and ended."""
    if server_pid is None:
        return 0.0
    server = psutil.Process(server_pid)
    total = 0.0
    for process in (server, *server.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            spent = process.cpu_times()
            total += spent.user + spent.system + spent.children_user + spent.children_system
    return total


def code_cache_mib(java_pid: int) -> int | None:
    """Return the compiled code that a JVM holds, all its segments together; None without the JDK's `jcmd`."""
    try:
        done = subprocess.run(
            ["jcmd", str(java_pid), "Compiler.codecache"], capture_output=True, text=True, check=False
        )
    except OSError:
        return None
    used = re.findall(r"^CodeHeap.* used=(\d+)Kb", done.stdout, re.MULTILINE)
    return sum(map(int, used)) >> 10 if used else None


def facts() -> dict[str, object]:
    """Return the conditions for comparing figures: processor, cores, memory, versions, date, load."""
    return {
        "date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "processor": re.findall(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())[:1],
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": platform.platform(),
        "python": platform.python_version(),
        "java": _java_version(),
        "packages": {name: version(name) for name in PACKAGES},
        "load_average": [round(load, 2) for load in os.getloadavg()],
    }


def _java_version() -> str:
    done = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True)
    return (done.stderr or done.stdout).splitlines()[0]
