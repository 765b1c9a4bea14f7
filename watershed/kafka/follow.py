"""`watershed follow`: rounds of landing from Kafka, build and status, until SIGTERM or Ctrl-C."""

from __future__ import annotations

import datetime as dt
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from watershed.errors import WatershedError
from watershed.health.status import source_table
from watershed.home import Home
from watershed.lock import Lock
from watershed.server.client import NoServerError
from watershed.server.connection import address_of, connect_to

_POLL_SECONDS = 0.1


def follow(home: Home, steps: Mapping[str, Sequence[str]], every_seconds: int) -> None:
    """Run some commands in sequence, in rounds at a fixed interval; neither commands nor rounds overlap.

    A failed command is reported and tried again in the next round. A round longer than the interval is followed by the
    next one immediately; rounds do not accumulate.

    Args:
        home: The home of the sources.
        steps: The commands of a round by name.
        every_seconds: Interval between the starts of two rounds.

    Raises:
        WatershedError: another process follows the home, the last command of a killed one still runs, or the server
            that answers serves another home.
    """
    lock = Lock(home.root / "follow.lock")
    try:
        if not lock.try_acquire():
            raise WatershedError(
                f"{home.root} is being followed by process {lock.holder().get('pid', 'unknown')}, "
                "or its child process still runs.",
                "Wait until it has ended, or stop it.",
            )
        lock.describe()
        with suppress(NoServerError), connect_to(home):
            pass  # a server of another home would build the messages of that one
        _Rounds(home, lock, steps).run(every_seconds)
    finally:
        lock.release()


class _Rounds:
    """The rounds of one call."""

    def __init__(self, home: Home, lock: Lock, steps: Mapping[str, Sequence[str]]) -> None:
        self._home, self._lock, self._steps = home, lock, steps
        self._running: subprocess.Popen[bytes] | None = None
        self._stopping = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)

    def run(self, every_seconds: int) -> None:
        """Run rounds until a signal comes."""
        while not self._stopping:
            began = time.monotonic()
            self._round()
            while not self._stopping and time.monotonic() - began < every_seconds:
                time.sleep(_POLL_SECONDS)

    def _round(self) -> None:
        print(f"\n{dt.datetime.now(dt.UTC):%Y-%m-%d %H:%M:%S} UTC", flush=True)
        for name, step in self._steps.items():
            began = time.monotonic()
            status = self._run(step)
            if status is None:
                return
            result = "done" if status == 0 else f"failed with {status}; the next round tries again"
            print(f"{time.monotonic() - began:6.1f} s  {name}: {result}", flush=True)
        try:
            print(source_table(self._home), flush=True)
        except WatershedError as error:
            print(f"The progress of the sources is not available: {error}", file=sys.stderr, flush=True)

    def _run(self, step: Sequence[str]) -> int | None:
        """Run a command to its end; return its exit code, or None if it was not started."""
        if self._stopping:
            return None
        # Its own process group, because this process handles Ctrl-C. It inherits the lock, so that no second `follow`
        # starts while a child of a killed one runs.
        # dbt, unlike the commands of `watershed`, does not find the server of the home.
        host, port = address_of(self._home)
        environment = os.environ | {"WATERSHED_HOST": host, "WATERSHED_PORT": str(port)}
        self._running = subprocess.Popen(step, process_group=0, pass_fds=[self._lock.fileno()], env=environment)
        return self._running.wait()

    def _on_signal(self, *_: object) -> None:
        """Stop after the running command; at the second signal stop that too."""
        if self._stopping and self._running is not None:
            with suppress(ProcessLookupError):
                os.kill(self._running.pid, signal.SIGTERM)
        elif self._running is not None and self._running.poll() is None:
            print("Stopping after this step. Press Ctrl-C again to stop now.", file=sys.stderr, flush=True)
        self._stopping = True
