"""`watershed with-server`: a command with a server, which is started before it and stopped after it."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence

from watershed.errors import InterruptError, WatershedError
from watershed.home import Home, find_home, find_project_dir
from watershed.lock import Lock
from watershed.server.access import LOOPBACK, access_of
from watershed.server.client import USER, NoServerError, connect
from watershed.server.connection import host_of, server_of

_START_SECONDS, _STOP_SECONDS = 120.0, 30.0


def with_server(command: Sequence[str]) -> int:
    """Run a command with WATERSHED_HOST and WATERSHED_PORT set to a server on this home.

    A server that already runs on the home is used and left running. Otherwise one is started on a free port, preferably
    that of the last server, because dbt parses the whole project again if the port changes.

    Args:
        command: The program and its arguments.

    Returns:
        The command's exit code.

    Raises:
        WatershedError: the server or the command cannot be started.
        InterruptError: Ctrl-C or SIGTERM; the command is stopped, and then the server, if it was started for it.
    """
    home = find_home(find_project_dir())
    if not access_of(home, LOOPBACK).is_guarded:
        os.environ.pop(USER, None)  # it is for another server
    port = _running_port(home)
    if port is not None:
        return _run(command, home, port)
    # Else a scheduler that stops this process would leave the server running.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    server = subprocess.Popen(
        [sys.executable, "-m", "watershed.cli", "serve", "--port", str(next_port(home))],
        stdout=subprocess.PIPE,
        text=True,
        # Its own process group: Ctrl-C stops the command first, and the server after it.
        process_group=0,
    )
    try:
        return _run(command, home, _announced_port(server))
    finally:
        server.terminate()
        server.wait(_STOP_SECONDS)


def _running_port(home: Home) -> int | None:
    """Return the port of the server that holds this home, if there is one; wait while it starts."""
    deadline = 0.0
    while (server := server_of(home)) is not None:
        try:
            with connect(host_of(server), port := int(server.get("port") or 0)):
                return port
        except (NoServerError, TypeError, ValueError) as error:
            if not deadline:
                print(f"Waiting for the server that holds {home.root} ...", flush=True)
                deadline = time.monotonic() + _START_SECONDS
            elif time.monotonic() > deadline:
                problem = f"A server has held {home.root} for {_START_SECONDS:.0f} s, but does not answer: {error}"
                raise WatershedError(problem, "Stop it (watershed stop), and try again.") from error
        time.sleep(0.5)
    return None


def next_port(home: Home) -> int:
    """Return the port of the last server of this home if it is free, else 0 for any."""
    lock = Lock(home.server_lock)
    port = lock.holder().get("port")
    lock.release()
    if not isinstance(port, int):
        return 0
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return 0
    return port


def _announced_port(server: subprocess.Popen[str]) -> int:
    assert server.stdout is not None
    line = server.stdout.readline()
    announced = re.match(rf"Watershed serves {re.escape(LOOPBACK)}:(\d+) ", line)
    if announced is None:
        raise WatershedError("The server did not start; see its output above.")
    print(line.partition(";")[0], flush=True)
    return int(announced[1])


def _run(command: Sequence[str], home: Home, port: int) -> int:
    environment = os.environ | {"WATERSHED_HOST": host_of(server_of(home) or {}), "WATERSHED_PORT": str(port)}
    try:
        return subprocess.run(command, env=environment, check=False).returncode
    except KeyboardInterrupt:
        is_build = any(word.endswith(("build", "build.py")) for word in command)
        done = "Finished models are kept; the next build continues from there."
        raise InterruptError(done if is_build else "") from None
    except OSError as error:
        raise WatershedError(f"The command {command[0]!r} cannot be run: {error.strerror}.") from error
