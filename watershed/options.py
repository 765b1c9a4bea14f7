"""Shared parts of the commands: options, and examples in their help."""

from __future__ import annotations

from pathlib import Path

import click
from click.shell_completion import CompletionItem

from watershed.errors import WatershedError


def listed(title: str, lines: list[str]) -> str:
    """Return lines for the end of a help text, protected from wrapping."""
    return "\b\n" + "\n".join([f"{title}:", *(f"  {line}" for line in lines)])


def examples(*lines: str) -> str:
    """Return examples of a command for the end of its help text."""
    return listed("Examples", [f"watershed {line}" for line in lines])


def source_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the configured sources that begin with the typed text."""
    from watershed.home import find_project_dir
    from watershed.sources import read_sources

    try:
        names = read_sources(find_project_dir()).formats
    except WatershedError:
        return []
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


PATH = click.Path(path_type=Path)
SOURCE = click.option("--source", metavar="NAME", shell_complete=source_names, help="As in seeds/cdc_sources.csv.")
