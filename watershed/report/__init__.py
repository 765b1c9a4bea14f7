"""`watershed report`: the health of all sources as one HTML page that needs nothing but itself."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from watershed.client import configured_host, configured_port, connect
from watershed.errors import WatershedError
from watershed.home import TARGET_VARIABLE, find_project_dir
from watershed.report.data import Unread, read_health
from watershed.report.page import render

DEFAULT_NAME = "report.html"


def report(output: Path | None) -> int:
    """Ask the server of WATERSHED_HOST and WATERSHED_PORT and write the page.

    Args:
        output: The file to write; target/report.html of the project if not given.

    Returns:
        0, or 2 if a part could not be read; the page then says why in its place.

    Raises:
        WatershedError: no server answers, nothing has been built, or the file cannot be written.
    """
    project_dir = find_project_dir()
    path = output or project_dir / (os.environ.get(TARGET_VARIABLE) or "target") / DEFAULT_NAME
    if path.is_dir():
        raise WatershedError(f"{path} is a folder; a file is expected.")
    schema = os.environ.get("WATERSHED_SCHEMA") or "watershed"
    with connect(configured_host(), configured_port()) as cursor:
        health = read_health(cursor, schema, project_dir, _tell)
    _write(path, render(health))
    unread = [name for name, part in vars(health).items() if isinstance(part, Unread)]
    print(f"Written: {path}" + (f"; could not be read: {', '.join(unread)} (the page says why)" if unread else ""))
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


def _tell(what: str) -> None:
    print(f"Asking the server: {what} ...", file=sys.stderr, flush=True)
