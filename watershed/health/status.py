"""`watershed status` and `watershed stop`: the verdict on this home, and the progress of its sources."""

from __future__ import annotations

import datetime as dt
import json
import os
import signal
import time
from collections.abc import Sequence
from typing import Any

from watershed.errors import WatershedError
from watershed.health.build_results import BuildResults
from watershed.health.facts import Gathered, Landed, gather, landed_of, read_limits
from watershed.health.questions import Progress
from watershed.health.verdict import Facts, Finding, Missing, Verdict, judge, named
from watershed.home import Home, find_home, find_project_dir
from watershed.server.client import NoServerError, QueryError, configured_schema, connect, quote, run
from watershed.server.connection import address_of, check_home, host_of, server_of
from watershed.sources import read_sources
from watershed.tables import aligned
from watershed.texts import duration

JSON_VERSION = 1
"""Incremented when a member is removed or changes its meaning; new members do not change it."""
_STOP_SECONDS = 60.0
_READ = "select source_name, sum(messages) from {schema}.source_outcomes group by source_name"


def status(as_json: bool = False, with_anomalies: bool | None = None) -> int:
    """Print the verdict, its findings, and a row per source.

    Args:
        as_json: Print one JSON object of the shape in docs/monitoring.md.
        with_anomalies: Whether anomalies are counted; None counts them where events has few rows.

    Returns:
        0 fine, 1 warnings, 2 broken.

    Raises:
        WatershedError: a seed cannot be read, or the server that answers serves another home.
    """
    project_dir = find_project_dir()
    home = find_home(project_dir)
    server = server_of(home)
    gathered = gather(home, project_dir, read_sources(project_dir), with_anomalies)
    verdict = judge(gathered.facts, read_limits(project_dir))
    if as_json:
        print(json.dumps(_as_json(home, server, gathered, verdict), indent=2))
    else:
        print("\n".join(_as_text(home, server, gathered, verdict)))
    return verdict.level.value


def source_table(home: Home) -> str:
    """Return a row per source: landed and unread messages."""
    sources, landed = read_sources(find_project_dir()), landed_of(home)
    read = _read_messages(home)
    progress = [
        Progress(name, format_name, None, one.messages, None if read is None else one.messages - read.get(name, 0),
                 one.last_landed_at, None, None)
        for name, format_name in sorted(sources.formats.items())
        for one in [landed.get(name, Landed())]
    ]  # fmt: skip
    return _source_table(progress, landed)


def stop() -> None:
    """End the server of this home with SIGTERM and wait until it has ended.

    Raises:
        WatershedError: no server runs, the user may not end it, or it does not end.
    """
    home = find_home(find_project_dir())
    server = server_of(home)
    if server is None:
        raise WatershedError(
            f"No server runs on the home {home.root}.",
            "To stop the server of another home, set WATERSHED_HOME to that home.",
        )
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


def _read_messages(home: Home) -> dict[str, int] | None:
    """Return the number of messages read by builds for each source; None without a server."""
    host, port = address_of(home)
    try:
        with connect(host, port) as cursor:
            check_home(cursor, home, f"{host}:{port}")
            return dict(run(cursor, _READ.format(schema=quote(configured_schema())))[1])
    except NoServerError:
        return None
    except QueryError:
        return {}


def _as_text(home: Home, server: dict[str, Any] | None, gathered: Gathered, verdict: Verdict) -> list[str]:
    facts = gathered.facts
    lines = [verdict.sentence]
    for finding in verdict.findings:
        lines += [f"  {finding.level.label:<7}  {finding.text}", f"           {finding.remedy}"]
    lines += [f"  not known  {text}" for text in verdict.unknown]
    lines += [
        "",
        f"Server      {_server_words(server, gathered)}",
        f"Home        {home.root}",
        *([f"Store       {home.store}"] if home.store else []),
        f"Last build  {_built_words(gathered)}",
        *_tests_line(facts),
        "",
    ]
    if isinstance(facts.progress, Missing):
        return [*lines, f"The progress of sources could not be read: {facts.progress.reason}"]
    progress = facts.progress
    lines.append(_source_table(progress, gathered.landed))
    others = sorted(gathered.landed.keys() - {row.source_name for row in progress})
    if others:
        lines.append(f"Left out, because seeds/cdc_sources.csv does not configure them: {named(others)}.")
    return lines


def _server_words(server: dict[str, Any] | None, gathered: Gathered) -> str:
    if gathered.assumption:
        return gathered.assumption
    if server is None:
        return gathered.address or "none runs on this home; start one with: watershed serve"
    guarded = ", for users with a password" if server.get("is_guarded") else ""
    return f"{host_of(server)}:{server.get('port')}, process {server.get('pid')}{guarded}"


def _built_words(gathered: Gathered) -> str:
    facts = gathered.facts
    if facts.is_built is False:
        return f"none in schema {facts.schema}: dbt build"
    if facts.last_built_at is None:
        return "not known without a server" if facts.is_built is None else f"none in schema {facts.schema}: dbt build"
    age = duration(int((facts.asked_at - facts.last_built_at).total_seconds()))
    return f"{facts.last_built_at:%Y-%m-%d %H:%M:%S} UTC, {age} ago, in schema {facts.schema}"


def _tests_line(facts: Facts) -> list[str]:
    """Return the test results with their age; a partial build has only the results of its own tests."""
    results = facts.results
    if not isinstance(results, BuildResults):
        return []
    age = duration(max(0, int((facts.asked_at - results.ended_at).total_seconds())))
    counts = f"{results.passed_tests:,} passed, {len(results.warned):,} warned, {len(results.failed):,} failed"
    return [f"Tests       {counts} in dbt {results.command}, {age} ago"]


def _source_table(progress: Sequence[Progress], landed: dict[str, Landed]) -> str:
    if not progress:
        return "No source is configured: add a line to seeds/cdc_sources.csv."
    is_judged = any(row.state for row in progress)
    rows = [
        [
            row.source_name,
            row.format,
            f"{landed.get(row.source_name, Landed()).files:,}",
            f"{row.landed:,}",
            f"{last:%Y-%m-%d %H:%M:%S}" if (last := _last_landed(row, landed)) else "never",
            *([row.state or "?", "?" if row.lag_seconds is None else duration(row.lag_seconds)] if is_judged else []),
            "?" if row.unread is None else f"{row.unread:,}",
        ]
        for row in progress
    ]
    judged = ["state", "lag"] if is_judged else []
    header = ["source", "format", "files", "messages", "last landed (UTC)", *judged, "unread"]
    return aligned(header, rows, right=[2, 3, len(header) - 2, len(header) - 1] if is_judged else [2, 3, 5])


def _last_landed(row: Progress, landed: dict[str, Landed]) -> dt.datetime | None:
    """Return when the newest message landed, including messages that no build has read."""
    moments = (row.last_landed_at, landed.get(row.source_name, Landed()).last_landed_at)
    return max(filter(None, moments), default=None)


def _as_json(home: Home, server: dict[str, Any] | None, gathered: Gathered, verdict: Verdict) -> dict[str, object]:
    facts, results = gathered.facts, gathered.facts.results
    progress = [] if isinstance(facts.progress, Missing) else facts.progress
    return {
        "version": JSON_VERSION,
        "verdict": verdict.level.word,
        "exit_code": verdict.level.value,
        "asked_at": _moment(facts.asked_at),
        "home": str(home.root),
        "store": str(home.store) if home.store else None,
        "schema": facts.schema,
        "server": {
            "is_running": facts.no_server is None,
            "address": gathered.address,
            "process": server.get("pid") if server else None,
            "assumption": gathered.assumption or None,
        },
        "last_build": {
            "at": _moment(facts.last_built_at),
            "age_seconds": (
                int((facts.asked_at - facts.last_built_at).total_seconds()) if facts.last_built_at else None
            ),
            "tests": _tests(results) if isinstance(results, BuildResults) else None,
        },
        "sources": [
            {
                "source_name": row.source_name,
                "format": row.format,
                "state": row.state,
                "messages": row.landed,
                "unread": row.unread,
                "last_landed_at": _moment(_last_landed(row, gathered.landed)),
                "complete_up_to": _moment(row.complete_up_to),
                "lag_seconds": row.lag_seconds,
            }
            for row in progress
        ],
        "other_sources": sorted(gathered.landed.keys() - {row.source_name for row in progress}),
        "findings": [_finding(finding) for finding in verdict.findings],
        "unknown": verdict.unknown,
    }


def _finding(finding: Finding) -> dict[str, object]:
    return finding._asdict() | {"level": finding.level.label, "sources": list(finding.sources)}


def _tests(results: BuildResults) -> dict[str, object]:
    return {
        "command": results.command,
        "ended_at": _moment(results.ended_at),
        "passed": results.passed_tests,
        "warned": len(results.warned),
        "failed": len(results.failed),
    }


def _moment(value: dt.datetime | None) -> str | None:
    return None if value is None else value.isoformat(timespec="seconds") + "Z"
