"""Locks between processes: flock on a file that tells who holds it."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

_POLL_SECONDS = 0.05


class Lock:
    """An exclusive lock that ends with the process, however that ends.

    Args:
        path: The lock file; it stays behind, its content says who held it last.
    """

    def __init__(self, path: Path) -> None:
        """Open the lock file without locking it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)

    def try_acquire(self) -> bool:
        """Take the lock if nobody holds it."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def holder(self) -> dict[str, Any]:
        """Return what the present or last holder wrote; empty if it wrote nothing."""
        try:
            content = json.loads(os.pread(self._descriptor, 4096, 0))
        except ValueError:
            return {}
        return content if isinstance(content, dict) else {}

    def describe(self, **content: object) -> None:
        """Write who holds the lock (pid and anything else worth saying)."""
        text = json.dumps({"pid": os.getpid(), **content}).encode()
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, text, 0)

    def unlock(self) -> None:
        """Let others take the lock; it can be taken again."""
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def fileno(self) -> int:
        """Return the descriptor; a child that inherits it keeps the lock as long as it lives."""
        return self._descriptor

    def release(self) -> None:
        """Give the lock back."""
        os.close(self._descriptor)


@contextlib.contextmanager
def waiting_lock(path: Path, on_wait: Callable[[str], None], patience_seconds: float = 2.0) -> Iterator[None]:
    """Hold the lock, waiting for it as long as it takes.

    Args:
        path: The lock file.
        on_wait: Called once with a sentence that names the holder, when waiting lasts longer than the patience.
        patience_seconds: How long to wait silently.
    """
    lock = Lock(path)
    try:
        started = time.monotonic()
        told = False
        while not lock.try_acquire():
            if not told and time.monotonic() - started >= patience_seconds:
                on_wait(f"Waiting for process {lock.holder().get('pid', 'unknown')}, which holds {path}.")
                told = True
            time.sleep(_POLL_SECONDS)
        lock.describe()
        yield
    finally:
        lock.release()
