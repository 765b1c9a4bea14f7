"""The commands that a page prints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path


def printed(page: Path) -> Iterator[tuple[str, bool]]:
    """Yield commands, and whether they are whole.

    They are the lines of a page's shell blocks, and texts in backticks that begin like a command.
    """
    text = page.read_text("utf-8")
    for block in re.findall(r"^\s*```sh\n(.*?)```$", text, re.DOTALL | re.MULTILINE):
        yield from ((line, True) for line in re.sub(r"\\\n\s*", " ", block).splitlines())
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    # Text in a sentence may name only a command or an option.
    yield from ((line, False) for line in re.findall(r"`((?:\.venv/bin/)?(?:watershed|dbt|make) [^`]+)`", prose))
