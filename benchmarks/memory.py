"""Memory of a server's processes: the JVM and the Python workers."""

from __future__ import annotations

import re
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import psutil  # type: ignore[import-untyped]

_EVERY_SECONDS = 0.5
_USED = re.compile(r"^\s*(?:PSYoungGen|ParOldGen|garbage-first heap)\s+total \d+K, used (\d+)K", re.MULTILINE)


class MemoryWatch:
    """Samples a server's processes until the block ends; processes that end between two samples are missed.

    `jvm` is the peak of the JVM as counted by the kernel; `worker` that of the largest Python worker; `workers` the
    peak of all workers in one sample, with shared memory counted for each. All are bytes.

    Args:
        server_pid: The process of `watershed serve`.
    """

    def __init__(self, server_pid: int) -> None:
        """Find the JVM, without sampling."""
        self.jvm = self.worker = self.workers = 0
        self._server = psutil.Process(server_pid)
        self._java = next(one for one in self._server.children(recursive=True) if one.name() == "java")
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> MemoryWatch:
        """Start sampling."""
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Stop sampling."""
        self._ended.set()
        self._thread.join()

    def heap_after_collection(self) -> int | None:
        """Let the JVM collect its garbage and return the remaining heap; None without a JDK's jcmd."""
        pid = str(self._java.pid)
        try:
            subprocess.run(["jcmd", pid, "GC.run"], capture_output=True, check=True)
            told = subprocess.run(["jcmd", pid, "GC.heap_info"], capture_output=True, check=True, text=True).stdout
        except (OSError, subprocess.CalledProcessError):
            return None
        return 1024 * sum(int(used) for used in _USED.findall(told)) or None

    def as_json(self) -> dict[str, int | None]:
        """Return all figures."""
        return {
            "jvm_peak_bytes": self.jvm,
            "heap_after_collection_bytes": self.heap_after_collection(),
            "largest_worker_peak_bytes": self.worker,
            "workers_at_once_bytes": self.workers,
        }

    def _look(self) -> None:
        while not self._ended.wait(_EVERY_SECONDS):
            self.jvm = max(self.jvm, _peak(self._java.pid))
            with suppress(psutil.NoSuchProcess):
                workers = [one for one in self._java.children(recursive=True) if one.name().startswith("python")]
                self.worker = max([self.worker, *(_peak(one.pid) for one in workers)])
                self.workers = max(self.workers, sum(_status(one.pid, "VmRSS") for one in workers))


def _peak(pid: int) -> int:
    return _status(pid, "VmHWM")


def _status(pid: int, name: str) -> int:
    """Return a size from the kernel's status of a process; 0 if it has ended."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return 0
    found = re.search(rf"^{name}:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) * 1024 if found else 0
