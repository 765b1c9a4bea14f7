"""The server of a home: the running one, its address, and a check that the answering server serves this home."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyhive import hive

from watershed.errors import WatershedError
from watershed.home import Home
from watershed.lock import Lock
from watershed.server.access import LOOPBACK
from watershed.server.client import QueryError, configured_host, configured_port, connect, run

# Settings of the server's Spark, which each session can read with `set`.
HOME_SETTING = "spark.watershed.home"
MACHINE_SETTING = "spark.watershed.machine"
_UNDEFINED = "<undefined>"


class OtherHomeError(WatershedError):
    """The server that answers serves another home."""


def home_settings(home: Home) -> dict[str, str]:
    """Return the settings by which clients identify the home and the machine of a server."""
    return {HOME_SETTING: str(home.root), MACHINE_SETTING: socket.gethostname()}


def server_of(home: Home) -> dict[str, Any] | None:
    """Return the record of the server that holds a home (pid, host, port); None if there is none."""
    lock = Lock(home.server_lock)
    try:
        return None if lock.try_acquire() else lock.holder()
    finally:
        lock.release()


def host_of(server: dict[str, Any]) -> str:
    """Return the host for clients on this machine: WATERSHED_HOST if the certificate requires that name."""
    named = os.environ.get("WATERSHED_HOST") if server.get("is_guarded") else ""
    return named or str(server.get("host") or LOOPBACK)


def address_of(home: Home) -> tuple[str, int]:
    """Return host and port of the server: from the environment, else of the server of the home, else the defaults."""
    host, port = configured_host(), configured_port()
    named_host = os.environ.get("WATERSHED_HOST")
    server = server_of(home)
    if server is None:
        return host, port
    # WATERSHED_HOST names another machine, or this one by the name in its certificate.
    if not os.environ.get("WATERSHED_PORT") and (not named_host or server.get("is_guarded")):
        port = int(server.get("port") or port)
    return named_host or host_of(server), port


@contextlib.contextmanager
def connect_to(home: Home) -> Iterator[hive.Cursor]:
    """Yield a cursor on the server of a home; every command that queries a server connects here.

    Raises:
        NoServerError: no server answers.
        RefusedError: the server does not accept the user.
        OtherHomeError: the server that answers serves another home.
    """
    host, port = address_of(home)
    with connect(host, port) as cursor:
        check_home(cursor, home, f"{host}:{port}")
        yield cursor


def check_home(cursor: hive.Cursor, home: Home, address: str) -> str:
    """Check that a server serves a home.

    A server on another machine names a folder of that machine, and a Thrift server that `watershed serve` did not
    start names none. Both are accepted.

    Args:
        cursor: A session on the server.
        home: The home that the command uses.
        address: The address of the server, for the message.

    Returns: The assumption as a sentence; empty if the server reported this home.

    Raises:
        OtherHomeError: it serves another home of this machine.
    """
    served = _setting(cursor, HOME_SETTING)
    if served is None:
        return f"The server at {address} does not report its home; it is assumed to serve {home.root}."
    if Path(served).resolve() == home.root.resolve():
        return ""
    machine = _setting(cursor, MACHINE_SETTING)
    if machine != socket.gethostname():
        return f"The server at {address} serves {served} on {machine}; {home.root} is assumed to be the same home."
    raise OtherHomeError(
        f"The server at {address} serves the home {served}; this command uses the home {home.root}.",
        f"Set WATERSHED_HOME={served} to use the home of that server, or start a server on this home "
        "(`watershed serve --port 0`) and set WATERSHED_PORT to its port.",
    )


def _setting(cursor: hive.Cursor, name: str) -> str | None:
    """Return a setting of the session; None if the server does not have it."""
    try:
        rows = run(cursor, f"set {name}")[1]
    except QueryError:  # a server that rejects `set` was not started by `watershed serve`
        return None
    value = str(rows[0][-1]) if rows else _UNDEFINED
    return None if value == _UNDEFINED else value
