"""Free ports of this machine for servers of tests, and the wait for their answer."""

from __future__ import annotations

import contextlib
import socket
import time

ADDRESS = "127.0.0.1"
SECONDS = 60


def free_ports(count: int) -> list[int]:
    """Return distinct free ports."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind((ADDRESS, 0))
        return [one.getsockname()[1] for one in sockets]


def wait_for(port: int) -> None:
    """Wait until a server answers."""
    deadline = time.monotonic() + SECONDS
    while True:
        with contextlib.suppress(OSError), socket.create_connection((ADDRESS, port), 1):
            return
        assert time.monotonic() < deadline, f"nobody answers at port {port}"
        time.sleep(0.1)
