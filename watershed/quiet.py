"""Statements that run only while nobody else uses the server (ADR 0019)."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

from pyhive import hive
from TCLIService.ttypes import TCancelOperationReq, TOperationState

from watershed.client import QueryError, connect, run

# Between two nodes of a build on a busy machine no connection was open for half a second.
_QUIET_SECONDS = 5.0
_PATIENCE_SECONDS = 600.0
_POLL_SECONDS = 0.05
_TRIES = 3
_OWN_CONNECTIONS = 2
_ESTABLISHED = "01"
_GOING_ON = (TOperationState.INITIALIZED_STATE, TOperationState.PENDING_STATE, TOperationState.RUNNING_STATE)


def run_while_quiet(port: int, settings: Sequence[str], statements: Mapping[str, str]) -> list[str]:
    """Run statements one by one, each while nobody else is connected to the server.

    Whoever connects in the middle goes first: the statement is cancelled, and tried again when all is quiet.

    Args:
        port: Of the server on this machine.
        settings: What is said to the session first.
        statements: By name.

    Returns:
        The names of those that were not done: others were connected for too long, or changed the same table.

    Raises:
        QueryError: a statement failed by itself.
    """
    left = list(statements)
    with connect(LOOPBACK, port) as cursor, connect(LOOPBACK, port) as canceller:
        for setting in settings:
            run(cursor, setting)
        is_quiet = False
        for name in [name for name in statements for _ in range(_TRIES)]:
            if name not in left:
                continue
            if not is_quiet and not _becomes_quiet(port):
                break
            is_done = _is_done(port, statements[name], cursor, canceller)
            is_quiet = is_done and clients_of(port) <= _OWN_CONNECTIONS
            if is_done:
                left.remove(name)
    return left


def _is_done(port: int, statement: str, cursor: hive.Cursor, canceller: hive.Cursor) -> bool:
    """Run a statement unless another client comes; return whether that was done."""
    cursor.execute(statement, async_=True)
    with ThreadPoolExecutor(1) as pool:
        ending = pool.submit(_end_of, cursor)
        while not ending.done():
            if clients_of(port) > _OWN_CONNECTIONS:
                request = TCancelOperationReq(operationHandle=cursor._operationHandle)
                canceller._connection.client.CancelOperation(request)
                break
            wait([ending], _POLL_SECONDS)
        return ending.result()


def _end_of(cursor: hive.Cursor) -> bool:
    """Wait for the end of a statement; return whether it was done, and neither cancelled nor refused by Delta."""
    while (status := cursor.poll()).operationState in _GOING_ON:
        pass  # the server answers when it has ended, or after some seconds
    if status.operationState == TOperationState.ERROR_STATE and "CONCURRENT" not in status.errorMessage.upper():
        raise QueryError(f"The server failed: {status.errorMessage.splitlines()[0]}")
    return bool(status.operationState == TOperationState.FINISHED_STATE)


def _becomes_quiet(port: int) -> bool:
    """Wait until no other client has been connected for some seconds; return whether that came in time."""
    began = busy = time.monotonic()
    while time.monotonic() - busy < _QUIET_SECONDS:
        if clients_of(port) > _OWN_CONNECTIONS:
            busy = time.monotonic()
        if busy - began > _PATIENCE_SECONDS:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def clients_of(port: int, folder: Path = Path("/proc/net")) -> int:
    """Return how many connections to a port of this machine are open."""
    found = 0
    for name in ("tcp", "tcp6"):
        with contextlib.suppress(FileNotFoundError):
            for line in (folder / name).read_text().splitlines()[1:]:
                _, _, remote, state, *_ = line.split()
                found += state == _ESTABLISHED and int(remote.rpartition(":")[2], 16) == port
    return found
