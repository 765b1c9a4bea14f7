"""Locks between processes: flock on a file that contains its holder."""

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
    """An exclusive lock that is released with the process, even if it crashes.

    Args:
        path: The lock file; it is not removed, and contains the last holder.
    """

    def __init__(self, path: Path) -> None:
        """Open the lock file without locking it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)

    def try_acquire(self) -> bool:
        """Take the lock if it is free."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def holder(self) -> dict[str, Any]:
        """Return the record of the current or last holder; empty if there is none."""
        try:
            content = json.loads(os.pread(self._descriptor, 4096, 0))
        except ValueError:
            return {}
        return content if isinstance(content, dict) else {}

    def describe(self, **content: object) -> None:
        """Write the record of the holder (pid and further fields)."""
        text = json.dumps({"pid": os.getpid(), **content}).encode()
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, text, 0)

    def unlock(self) -> None:
        """Release the lock; it can be taken again."""
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def fileno(self) -> int:
        """Return the descriptor; a child that inherits it holds the lock until it exits."""
        return self._descriptor

    def release(self) -> None:
        """Release the lock."""
        os.close(self._descriptor)


@contextlib.contextmanager
def waiting_lock(path: Path, on_wait: Callable[[str], None], patience_seconds: float = 2.0) -> Iterator[None]:
    """Hold the lock, waiting for it as long as it takes.

    Args:
        path: The lock file.
        on_wait: Called once with a sentence that names the holder, after patience_seconds of waiting.
        patience_seconds: How long to wait silently.
    """
    lock = Lock(path)
    try:
        started = time.monotonic()
        is_reported = False
        while not lock.try_acquire():
            if not is_reported and time.monotonic() - started >= patience_seconds:
                on_wait(f"Waiting for process {lock.holder().get('pid', 'unknown')}, which holds {path}.")
                is_reported = True
            time.sleep(_POLL_SECONDS)
        lock.describe()
        yield
    finally:
        lock.release()
