"""A client of the Thrift server: one connection, one statement at a time."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import secrets
import socket
import ssl
from collections.abc import Iterator
from typing import Any, NamedTuple

from pyhive import exc, hive
from thrift.transport.TSocket import TSocket  # type: ignore[import-untyped]
from thrift.transport.TTransport import TTransportException  # type: ignore[import-untyped]
from thrift_sasl import TSaslClientTransport  # type: ignore[import-untyped]

from watershed.errors import WatershedError
from watershed.server.access import LOOPBACK

DEFAULT_PORT = 10000
_HANDSHAKE_SECONDS = 30.0
USER = "WATERSHED_USER"
# dbt never logs the value of a variable with this prefix.
PASSWORD = "DBT_ENV_SECRET_WATERSHED_PASSWORD"


class QueryError(WatershedError):
    """The server rejected a statement, or the statement failed."""


class NoServerError(WatershedError):
    """No server answers, or the connection was lost."""


class RefusedError(WatershedError):
    """The server rejects the user or the password."""


class Login(NamedTuple):
    """The user. A password is sent over TLS only."""

    user: str
    password: str


def configured_host() -> str:
    """Return WATERSHED_HOST, else the loopback address."""
    return os.environ.get("WATERSHED_HOST") or LOOPBACK


def configured_port() -> int:
    """Return WATERSHED_PORT, else 10000.

    Raises: WatershedError: WATERSHED_PORT is not a port.
    """
    text = os.environ.get("WATERSHED_PORT") or str(DEFAULT_PORT)
    if not re.fullmatch(r"\d{1,5}", text) or int(text) > 65535:
        raise WatershedError(f"WATERSHED_PORT is {text!r}; a number from 0 to 65535 is expected.")
    return int(text)


def configured_login() -> Login | None:
    """Return WATERSHED_USER with its password; None if the server requires no password.

    Raises:
        WatershedError: the user has no password.
    """
    user = os.environ.get("WATERSHED_USER")
    if not user:
        return None
    password = os.environ.get("DBT_ENV_SECRET_WATERSHED_PASSWORD")
    if not password:
        raise WatershedError(f"{USER} is {user!r}, and {PASSWORD} is not set.", "Set both, or none of them.")
    return Login(user, password)


@contextlib.contextmanager
def connect(host: str, port: int) -> Iterator[hive.Cursor]:
    """Yield a PyHive cursor on a new session, as WATERSHED_USER if set.

    Raises: NoServerError: no server answers there.
        RefusedError: the server rejects the user.
    """
    connection = _connection(host, port, configured_login())
    try:
        yield connection.cursor()
    finally:
        with contextlib.suppress(Exception):
            connection.close()


def _connection(host: str, port: int, login: Login | None, tls: ssl.SSLContext | None = None) -> hive.Connection:
    logging.getLogger("thrift").setLevel(logging.CRITICAL)  # it would print the content of the error below
    try:
        if login is None:
            return hive.Connection(host=host, port=port)
        return hive.Connection(thrift_transport=_guarded(host, port, login, tls), username=login.user)
    except (TTransportException, OSError, EOFError) as error:
        raise _refusal(host, port, login, error) from error


def _guarded(host: str, port: int, login: Login, tls: ssl.SSLContext | None) -> TSaslClientTransport:
    """Return an open TLS transport with password authentication, which PyHive does not have."""
    plain = socket.create_connection((host, port), _HANDSHAKE_SECONDS)
    with contextlib.ExitStack() as opened:
        opened.enter_context(plain)
        secure = (tls or ssl.create_default_context()).wrap_socket(plain, server_hostname=host)
        secure.settimeout(None)
        opened.pop_all()
    way = TSocket(host, port)
    way.setHandle(secure)
    sasl = {"host": host, "sasl_auth": "PLAIN", "username": login.user, "password": login.password}
    return TSaslClientTransport(lambda: hive.get_installed_sasl(**sasl), "PLAIN", way)


def _refusal(host: str, port: int, login: Login | None, error: Exception) -> WatershedError:
    """Return the error for a failed connection."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return NoServerError(
            f"The certificate of {host}:{port} is not trusted: {error.verify_message.rstrip('.')}.",
            "Set SSL_CERT_FILE to a PEM file of it or of its issuer, and WATERSHED_HOST to a name in the certificate.",
        )
    if isinstance(error, ssl.SSLError):
        problem = f"The server at {host}:{port} does not use TLS, which {USER} requires: {error.reason}."
        return NoServerError(problem, f"If it requires no password, unset {USER}.")
    if login is not None and str(error).startswith("Bad status"):
        return RefusedError(
            f"The server at {host}:{port} rejected the user {login.user!r}.", f"Check {USER} and {PASSWORD}."
        )
    remedy = "Start one with `watershed serve`, or set WATERSHED_HOST and WATERSHED_PORT to one that runs."
    if login is None and isinstance(error, (TTransportException, EOFError)) and "read 0 bytes" in str(error):
        remedy = f"If it requires a password, set {USER} and {PASSWORD}."
    return NoServerError(f"No Watershed server answers at {host}:{port}: {_first_line(str(error))}.", remedy)


def refuses_strangers(host: str, port: int) -> bool:
    """Return whether a server with passwords rejects a random one.

    Raises: NoServerError: no server answers there.
    """
    tls = ssl.create_default_context()
    tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE  # nothing secret is sent
    try:
        _connection(host, port, Login("watershed-stranger", secrets.token_hex()), tls).close()
    except RefusedError:
        return True
    return False


def run(cursor: hive.Cursor, statement: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Run a statement; return n column names (none if it has no result) and rows of n values.

    Raises:
        QueryError: the server rejected it or failed.
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
            f"The connection to the server was lost during the query: {_first_line(str(error))}.",
            "Its log is logs/server.log in WATERSHED_HOME.",
        ) from error


def configured_schema() -> str:
    """Return the schema of the published models: WATERSHED_SCHEMA, else watershed."""
    return os.environ.get("WATERSHED_SCHEMA") or "watershed"


def quote(name: str) -> str:
    """Return a name quoted for Spark."""
    return "`" + name.replace("`", "``") + "`"


def literal(text: str) -> str:
    """Return a text as a literal of Spark SQL, whatever characters it holds."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def spark_message(error: exc.Error) -> str:
    """Return Spark's message without Java's frames and exception names and without the plan of the query."""
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
        return f"{missing}{place[0] if place else ''}\n  See: show tables in {configured_schema()}"
    return text


def _first_line(text: str) -> str:
    return text.strip().split("\n", 1)[0].rstrip(".")
