"""`watershed status` and `watershed stop`: which server runs on this home, and how far the sources are."""

from __future__ import annotations

import datetime as dt
import os
import signal
import time
from typing import Any

from watershed.access import LOOPBACK
from watershed.client import NoServerError, QueryError, configured_host, configured_port, connect, quote, run
from watershed.errors import WatershedError
from watershed.home import Home, find_home, find_project_dir
from watershed.landing import landed_files, streamed_messages
from watershed.lock import Lock
from watershed.snapshot_lag import QUERY, Lag, by_table
from watershed.sources import Sources, read_sources
from watershed.tables import aligned

_STOP_SECONDS = 60.0
_READ = "select source_name, sum(messages) from {schema}.source_outcomes group by source_name"
_BUILT = "select max(appended_at) from {schema}.events"


def status() -> None:
    """Print the server, the home, what is wrong with the configuration, and a row per source."""
    project_dir = find_project_dir()
    home = find_home(project_dir)
    sources = read_sources(project_dir)
    server = server_of(home)
    schema = _schema()
    read, built = _what_was_read(schema, server)
    lines = [
        f"Server      {_server_words(server)}",
        f"Home        {home.root}",
        *([f"Store       {home.store}"] if home.store else []),
        f"Last build  {_built_words(built, read is not None, schema)}",
        *(f"Warning     {problem}" for problem in sources.other_problems(())),
        *(f"Snapshots   {lag.text}\n            {lag.remedy}" for lag in by_table(_read_lags(schema, server))),
    ]
    print("\n".join(lines))
    print("\n" + _source_table(home, sources, read))


def source_table(home: Home) -> str:
    """Return a row per source: what has landed, and what of it is not read yet."""
    read, _ = _what_was_read(_schema(), server_of(home))
    return _source_table(home, read_sources(find_project_dir()), read)


def stop() -> None:
    """End the server of this home by the signal that it ends itself on, and wait until it has.

    Raises:
        WatershedError: no server runs, it is not the user's to end, or it does not end.
    """
    home = find_home(find_project_dir())
    server = server_of(home)
    if server is None:
        raise WatershedError(f"No server runs on {home.root}.", "Another home has WATERSHED_HOME.")
    try:
        os.kill(server["pid"], signal.SIGTERM)
    except (KeyError, TypeError, OSError) as error:
        problem = f"The server of {home.root} cannot be ended: {error}."
        raise WatershedError(problem, f"It holds {home.server_lock}.") from error
    deadline = time.monotonic() + _STOP_SECONDS
    while (holder := server_of(home)) is not None and holder.get("pid") == server["pid"]:
        if time.monotonic() > deadline:
            raise WatershedError(
                f"The server, process {server['pid']}, has not ended in {_STOP_SECONDS:.0f} s.",
                f"Its log is {home.server_log}.",
            )
        time.sleep(0.1)
    print(f"Stopped the server at {host_of(server)}:{server.get('port')} (process {server['pid']}).")


def server_of(home: Home) -> dict[str, Any] | None:
    """Return what the server that holds a home has written of itself (pid, port); None if there is none."""
    lock = Lock(home.server_lock)
    try:
        return None if lock.try_acquire() else lock.holder()
    finally:
        lock.release()


def host_of(server: dict[str, Any]) -> str:
    """Return where clients on this machine ask a server: by the name in its certificate, if that is told."""
    named = os.environ.get("WATERSHED_HOST") if server.get("is_guarded") else ""
    return named or str(server.get("host") or LOOPBACK)


def _server_words(server: dict[str, Any] | None) -> str:
    if server is None:
        return "none runs on this home; start one with: watershed serve (make build has its own)"
    guard = ", for users with a password" if server.get("is_guarded") else ""
    return f"{host_of(server)}:{server.get('port')}, process {server.get('pid')}{guard}"


def _what_was_read(schema: str, server: dict[str, Any] | None) -> tuple[dict[str, int] | None, dt.datetime | None]:
    """Return the messages read of each source and the time of the last build; no numbers if no server tells."""
    try:
        with connect(*_address(server)) as cursor:
            run(cursor, "set time zone 'UTC'")
            ((built,),) = run(cursor, _BUILT.format(schema=quote(schema)))[1]
            return dict(run(cursor, _READ.format(schema=quote(schema)))[1]), built
    except NoServerError:
        return None, None
    except QueryError:
        return {}, None


def _read_lags(schema: str, server: dict[str, Any] | None) -> list[Lag]:
    """Return the typed snapshots that lag; none where no server answers, or a full build has not looked yet."""
    try:
        with connect(*_address(server)) as cursor:
            return [Lag(*row) for row in run(cursor, QUERY.format(schema=quote(schema)))[1]]
    except (NoServerError, QueryError):
        return []


def _address(server: dict[str, Any] | None) -> tuple[str, int]:
    host, port = configured_host(), configured_port()
    if server is not None and not os.environ.get("WATERSHED_PORT"):
        port = int(server.get("port") or port)
    if server is not None and not os.environ.get("WATERSHED_HOST"):
        host = host_of(server)
    return host, port


def _schema() -> str:
    return os.environ.get("WATERSHED_SCHEMA") or "watershed"


def _built_words(built: dt.datetime | None, is_told: bool, schema: str) -> str:
    if built is not None:
        return f"{built:%Y-%m-%d %H:%M:%S} UTC, in schema {schema}"
    return f"none in schema {schema}: dbt build" if is_told else "not known without a server"


def _source_table(home: Home, sources: Sources, read: dict[str, int] | None) -> str:
    files, streamed = landed_files(home), streamed_messages(home)
    rows = []
    for name in sorted({*sources.formats, *(row["source_name"] for row in files + streamed)}):
        of_files = [row for row in files if row["source_name"] == name]
        mine = of_files + [row for row in streamed if row["source_name"] == name]
        messages = sum(row["message_count"] for row in mine)
        last = max((row["landed_at"] for row in mine), default=None)
        rows.append(
            [
                name,
                sources.formats.get(name, "not configured"),
                f"{len(of_files):,}",
                f"{messages:,}",
                f"{last:%Y-%m-%d %H:%M:%S}" if last else "never",
                "?" if read is None else f"{messages - read.get(name, 0):,}",
            ]
        )
    if not rows:
        return "No source is configured: add a line to seeds/cdc_sources.csv."
    return aligned(["source", "format", "files", "messages", "last landed (UTC)", "unread"], rows, right=[2, 3, 5])
