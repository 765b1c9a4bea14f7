"""Progress of long work on stderr: a bar on a terminal, else a line every few seconds."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

SECONDS_BETWEEN_LINES = 5.0
_MEGABYTE = 1_000_000


@contextlib.contextmanager
def show_progress(doing: str, total_bytes: int) -> Iterator[Callable[[int], None]]:
    """Show the progress of reading; yields a function to call with the bytes read since the last call."""
    if sys.stderr.isatty():
        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(doing, total=total_bytes)
            yield lambda done: bar.advance(task, done)
        return
    finished = 0
    last_line = time.monotonic()

    def advance(done: int) -> None:
        nonlocal finished, last_line
        finished += done
        if time.monotonic() - last_line >= SECONDS_BETWEEN_LINES:
            last_line = time.monotonic()
            megabytes = f"{finished / _MEGABYTE:,.0f} of {total_bytes / _MEGABYTE:,.0f} MB"
            print(f"{doing}: {megabytes}", file=sys.stderr, flush=True)

    yield advance
