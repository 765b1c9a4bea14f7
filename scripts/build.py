"""`dbt build` with short output: progress, result and failed tests. Called by `make build`."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from dbt.cli.main import dbtRunner
from dbt_common.events.base_types import EventMsg
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from watershed.errors import WatershedError
from watershed.health.findings import findings
from watershed.home import TARGET_VARIABLE
from watershed.tables import counted

TARGET = os.environ.get(TARGET_VARIABLE) or "target"
LOG = Path(TARGET) / "dbt.log"
PLACES = ("--target-path", TARGET, "--log-path", TARGET, "--profiles-dir", "profiles")
SECONDS_BETWEEN_LINES = 15.0
INTERRUPTED = 130


@contextlib.contextmanager
def step(name: str, started: float | None = None) -> Iterator[list[str]]:
    """Print a line with the time of a step and its message."""
    started = started or time.time()
    notes: list[str] = []
    yield notes
    print(f"{time.time() - started:6.1f} s  {name}{': ' if notes else ''}{'; '.join(notes)}", flush=True)


class Build:
    """`dbt build` in this process: its progress and its result."""

    def __init__(self) -> None:
        """Start without results."""
        self.done, self.total, self.warned, self.failed, self.notices = 0, 0, 0, list[str](), ""
        self._errors: list[str] = []
        self._bar = Progress(
            TextColumn("          building"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[node]}"),
            console=Console(), transient=True, disable=not sys.stdout.isatty(),
        )  # fmt: skip
        self._task = self._bar.add_task("", total=None, node="")
        self._last_line = time.monotonic()

    def run(self, *options: str) -> bool:
        """Build, and print a line with the result; return whether all of it succeeded.

        Raises:
            KeyboardInterrupt: Ctrl-C, once dbt has cancelled its statements.
        """
        with step("dbt build") as notes:
            with self._bar:
                # Errors are printed below, because dbt itself would print a traceback after Ctrl-C.
                command = ["--quiet", "--log-level", "none", "--log-level-file", "debug", "build"]
                done = dbtRunner(callbacks=[self._see]).invoke([*command, *options, *PLACES])
            if isinstance(done.exception, KeyboardInterrupt):
                raise KeyboardInterrupt
            is_built = done.success
            warnings, errors = counted(self.warned, "warning"), counted(len(self.failed), "error")
            notes.append(f"{self.done} models, seeds and tests, {warnings}, {errors}")
        print(*self._errors, sep="\n", end="\n" if self._errors else "")
        if not is_built:
            print(f"dbt build failed: {', '.join(self.failed) or 'before its first model'}. Full log: {LOG}")
        return is_built

    def _see(self, event: EventMsg) -> None:
        if event.info.name == "LogStartLine":
            self.total = event.data.total
        if event.info.name == "JinjaLogInfo":  # a notice of a macro, or findings of tests
            self.notices = "\n\n".join(filter(None, [self.notices, event.data.msg.strip()]))
        if event.info.level == "error" and event.info.name != "MainStackTrace":
            self._errors.append(event.info.msg.strip())
        if event.info.name != "NodeFinished":
            return
        node = event.data.node_info
        self.done += 1
        self.warned += node.node_status == "warn"
        if node.node_status in ("error", "fail", "runtime error"):
            self.failed.append(node.node_name)
        self._bar.update(self._task, completed=self.done, total=self.total, node=node.node_name)
        if not sys.stdout.isatty() and time.monotonic() - self._last_line > SECONDS_BETWEEN_LINES:
            self._last_line = time.monotonic()
            print(f"          building: {self.done} of {self.total}, {node.node_name}", flush=True)


def main() -> int:
    """Build the landed messages; return the exit code."""
    build = Build()
    is_built = build.run()
    if build.notices:
        print(f"\n{build.notices}")
    if build.warned or build.failed:
        print()
        with contextlib.suppress(WatershedError):  # a build that failed before its first node has no results
            findings()
    if is_built:
        print(f"\nFull log: {LOG}. Progress of the sources: .venv/bin/watershed status, make report")
    return 0 if is_built else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:  # watershed with-server prints the state of the build
        sys.exit(INTERRUPTED)
