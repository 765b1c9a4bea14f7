"""Formatting of values for people: names of vendors are data and always escaped."""

from __future__ import annotations

import datetime as dt
import re
import sys

from rich.filesize import pick_unit_and_suffix

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that a browser drops, or that change the direction of the following text: shown as escapes."""


def visible(text: str) -> str:
    """Return text with control characters as escapes; the template of the page escapes markup."""
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def number(value: int) -> str:
    """Return digits in groups of three."""
    return f"{value:,}"


def size(value: int) -> str:
    """Return bytes in the unit that leaves few digits."""
    unit, name = pick_unit_and_suffix(value, ["B", "KiB", "MiB", "GiB", "TiB"], 1024)
    return f"{value / unit:.{int(unit > 1)}f} {name}"


def duration(seconds: int) -> str:
    """Return a duration in its two largest units: 3 d 4 h."""
    if seconds < 0:
        return "-" + duration(-seconds)
    parts = []
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        whole, seconds = divmod(seconds, length)
        if whole:
            parts.append(f"{number(whole)} {unit}")
    return " ".join(parts[:2]) or "0 s"


def moment(value: dt.datetime) -> str:
    """Return a time to the second, as ISO 8601 has it with a space."""
    return value.strftime("%Y-%m-%d %H:%M:%S")


def print_to_stderr(text: str) -> None:
    """Print a line to stderr at once, also into a pipe."""
    print(text, file=sys.stderr, flush=True)
