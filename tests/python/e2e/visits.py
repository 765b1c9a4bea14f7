"""Visits of pages in Chromium that record errors and requests to other machines."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Dialog, Page


@contextlib.contextmanager
def visit(browser: Browser, address: str, **options: Any) -> Iterator[Page]:  # noqa: ANN401
    """Open a page as a new visitor; fail at the end if it reported an error, or sent a request to another machine.

    Args:
        browser: The running browser.
        address: A file or a site of this machine.
        options: Of the browser's context, for example the size of the window.
    """
    complaints: list[str] = []
    places: set[tuple[str, str | None]] = set()
    with contextlib.closing(browser.new_context(**options)) as context:
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: places.add(_place(request.url)))
        page.on("dialog", lambda dialog: _closed(dialog, complaints))
        page.goto(address)
        yield page
        assert complaints == []
        assert places - {("data", None), ("blob", None)} == {_place(address)}


def _closed(dialog: Dialog, complaints: list[str]) -> None:
    complaints.append(f"a dialog: {dialog.message}")
    dialog.dismiss()


def _place(url: str) -> tuple[str, str | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc or None
