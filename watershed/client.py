"""A client of the Thrift server: one connection, one statement at a time."""

from __future__ import annotations

import contextlib
import logging
import os
import re
from collections.abc import Iterator
from typing import Any

from pyhive import exc, hive
from thrift.transport.TTransport import TTransportException  # type: ignore[import-untyped]

from watershed.errors import WatershedError

LOOPBACK = "127.0.0.1"
DEFAULT_PORT = 10000


class QueryError(WatershedError):
    """The server refused or failed a statement."""


class NoServerError(WatershedError):
    """Nobody answers, or the server went away."""


def configured_host() -> str:
    """Return WATERSHED_HOST, else the loopback address."""
    return os.environ.get("WATERSHED_HOST") or LOOPBACK


def configured_port() -> int:
    """Return WATERSHED_PORT, else 10000.

    Raises:
        WatershedError: WATERSHED_PORT is no port.
    """
    text = os.environ.get("WATERSHED_PORT") or str(DEFAULT_PORT)
    if not re.fullmatch(r"\d{1,5}", text) or int(text) > 65535:
        raise WatershedError(f"WATERSHED_PORT is {text!r}; a number from 0 to 65535 is expected.")
    return int(text)


@contextlib.contextmanager
def connect(host: str, port: int) -> Iterator[hive.Cursor]:
    """Yield a PyHive cursor on a session of its own.

    Raises:
        NoServerError: nobody answers there.
    """
    logging.getLogger("thrift").setLevel(logging.CRITICAL)  # it would print what the error below says
    try:
        connection = hive.Connection(host=host, port=port)
    except (TTransportException, OSError, EOFError) as error:
        raise NoServerError(
            f"No Watershed server answers at {host}:{port}: {_first_line(str(error))}.",
            "Start one with `watershed serve`, or set WATERSHED_HOST and WATERSHED_PORT to one that runs.",
        ) from error
    try:
        yield connection.cursor()
    finally:
        with contextlib.suppress(Exception):
            connection.close()


def run(cursor: hive.Cursor, statement: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Run a statement; return n column names (none if it gives no table) and rows of n values.

    Raises:
        QueryError: the server refused it or failed.
        NoServerError: the connection was lost.
    """
    try:
        cursor.execute(statement)
        if cursor.description is None:
            return [], []
        names = [column[0] for column in cursor.description]
        return names, [tuple(row) for row in cursor.fetchall()]
    except exc.Error as error:
        raise QueryError(spark_message(error)) from error
    except (TTransportException, OSError, EOFError) as error:
        raise NoServerError(
            f"The server went away during the query: {_first_line(str(error))}.",
            "Its log is logs/server.log in WATERSHED_HOME.",
        ) from error


def quote(name: str) -> str:
    """Return a name as Spark takes it whatever it holds."""
    return "`" + name.replace("`", "``") + "`"


def spark_message(error: exc.Error) -> str:
    """Return what Spark said, without Java's frames and exception names and without the plan of the query."""
    status = getattr(error.args[0] if error.args else None, "status", None)
    text = str(getattr(status, "errorMessage", None) or error)
    text = re.split(r"\n\s*at [\w.$/]+\(", text, maxsplit=1)[0]
    # "...HiveSQLException: Error running query: [CLASS] ...AnalysisException: [CLASS] what is wrong"
    first_line = text.split("\n", 1)[0] + "\n"
    names = list(re.finditer(r"(?:\w+\.)+[\w$]*(?:Exception|Error):\s+", first_line))
    text = (text[names[-1].end() :] if names else text).removeprefix("Error running query: ").strip()
    text = re.sub(r"(; line \d+ pos \d+);\n.*", r"\1", text, flags=re.DOTALL)
    if text.startswith("[TABLE_OR_VIEW_NOT_FOUND]"):
        missing = text.split("Verify", 1)[0].strip()
        place = re.search(r"; line \d+ pos \d+", text)
        return f"{missing}{place[0] if place else ''}\n  See: show tables in watershed"
    return text


def _first_line(text: str) -> str:
    return text.strip().split("\n", 1)[0].rstrip(".")
