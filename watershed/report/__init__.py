"""`watershed report`: the health of all sources as one self-contained HTML page."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from watershed.errors import WatershedError
from watershed.health.facts import gather, read_limits
from watershed.home import find_home, find_project_dir, target_dir
from watershed.report.data import read_health
from watershed.report.page import render
from watershed.server.connection import connect_to
from watershed.sources import read_sources

DEFAULT_NAME = "report.html"


def report(output: Path | None) -> int:
    """Query the server of this home and write the page.

    Args:
        output: The file to write; target/report.html of the project if not given.

    Returns:
        0, or 2 if a part could not be read; the page then has the reason in its place.

    Raises:
        WatershedError: no server answers, nothing has been built, or the file cannot be written.
    """
    project_dir = find_project_dir()
    path = output or target_dir(project_dir) / DEFAULT_NAME
    if path.is_dir():
        raise WatershedError(f"{path} is a folder; expected a file.")
    home = find_home(project_dir)
    with connect_to(home) as cursor:
        _print_step("progress, quarantine and anomalies of the sources")
        facts = gather(home, project_dir, read_sources(project_dir), with_anomalies=True).facts
        if facts.is_built is False:
            raise WatershedError(
                f"Schema {facts.schema!r} has no table events.",
                "Build it with `dbt build`, or set WATERSHED_SCHEMA to the schema that was built.",
            )
        health = read_health(cursor, facts, read_limits(project_dir), _print_step)
    _write(path, render(health))
    unread = health.unread
    print(
        f"Written: {path}" + (f"; could not be read: {', '.join(unread)} (the page has the reasons)" if unread else "")
    )
    print(health.verdict.sentence)
    return 2 if unread else 0


def _write(path: Path, text: str) -> None:
    """Write the whole file or nothing: a page that is open elsewhere is never half a page."""
    unfinished = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_text(text, "utf-8")
        os.replace(unfinished, path)
    except OSError as error:
        raise WatershedError(f"{path} cannot be written: {error.strerror}.") from error


def _print_step(what: str) -> None:
    print(f"Querying the server: {what} ...", file=sys.stderr, flush=True)
