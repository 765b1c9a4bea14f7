"""`watershed land`: selects files and sources, and reports the result."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from watershed.errors import InterruptError, WatershedError
from watershed.home import Home, find_home, find_project_dir
from watershed.landing.messages import InputFile, Mode, ScannedFile, mode_of, scan_file
from watershed.landing.tables import Batch, batches_of, land_files
from watershed.progress import show_progress
from watershed.sources import Sources, read_sources
from watershed.tables import aligned, counted
from watershed.texts import print_to_stderr


@dataclass(frozen=True)
class LandOptions:
    """Options of landing: the way to split files, their topic, and whether shape checks are skipped."""

    mode: Mode | None = None
    topic: str | None = None
    is_forced: bool = False


def land(source_name: str | None, paths: Sequence[Path], tree: Path | None, options: LandOptions) -> None:
    """Land files of one source, or a tree with a folder per source, and print the result.

    Args:
        source_name: The source of all paths; None with a tree.
        paths: The files; empty with a tree.
        tree: A folder whose folders are named like sources.
        options: The options.

    Raises: WatershedError: a source, a file or a line is invalid; nothing has landed.
        InterruptError: Ctrl-C; the text states whether the files have landed.
    """
    project_dir = find_project_dir()
    sources = read_sources(project_dir)
    home = find_home(project_dir)
    if tree is not None:
        files = tree_files(tree, sources, options)
    elif source_name is not None:
        files = source_files(source_name, paths, sources, options)
    else:
        raise WatershedError("Neither --source nor --tree is given.")
    total = sum(file.path.stat().st_size for file in files)
    scanned: list[ScannedFile] = []
    try:
        with show_progress("Checking", total) as advance:
            scanned += [scan_file(file, advance) for file in files]
        with show_progress("Landing", total) as advance:
            batch = land_files(home, scanned, advance, on_wait=print_to_stderr)
    except KeyboardInterrupt:
        raise InterruptError(_state_after_interrupt(home, scanned)) from None
    print(summary(scanned, batch))
    if batch.batch_id is not None:
        print("\nNext: make build; or .venv/bin/dbt build, while a server runs (make serve).")
    for problem in sources.other_problems({file.source_name for file in files}):
        print_to_stderr(f"Warning: {problem}")


def source_files(source_name: str, paths: Sequence[Path], sources: Sources, options: LandOptions) -> list[InputFile]:
    """Return the files of one source in the given order, after checking that they are files."""
    format_name = sources.format_of(source_name)
    for path in paths:
        if path.is_dir():
            raise WatershedError(
                f"{path} is a folder; --source takes files.",
                f"Name its files, or land folders named like sources with: watershed land --tree {path}",
            )
    files = [_input_file(path, source_name, format_name, options) for path in paths]
    if any(file.mode is not Mode.ENVELOPE for file in files):
        _warn_of_order(paths)
    return files


def tree_files(tree: Path, sources: Sources, options: LandOptions) -> list[InputFile]:
    """Return the files of each folder of a tree in natural order, part9 before part10; without hidden ones."""
    if not tree.is_dir():
        raise WatershedError(f"--tree {tree}: no such folder.", "Name a folder with one subfolder per source.")
    files = []
    for folder in _visible(tree):
        if not folder.is_dir():
            raise WatershedError(
                f"{folder} is a file at the top of the tree, so its source is unknown.",
                f"Move it to {tree}/<source name>/, or land it with --source.",
            )
        format_name = sources.format_of(folder.name)
        for path in _visible(folder):
            if path.is_dir():
                raise WatershedError(
                    f"{path} is a folder inside the folder of source {folder.name!r}; only files are landed there.",
                    "Move its files one folder up.",
                )
            files.append(_input_file(path, folder.name, format_name, options))
    return files


def summary(scanned: Sequence[ScannedFile], batch: Batch) -> str:
    """Return the report of a call: one line per skipped file, then a table with a row per source."""
    lines = [
        f"Skipped {skip.input.path}: "
        + (
            f"these bytes landed before as {skip.file_name} (batch {skip.batch_id})."
            if skip.batch_id
            else f"the same bytes as {skip.file_name}."
        )
        for skip in batch.skipped
    ]
    lines += [f"No messages in {file.input.path}." for file in scanned if not file.message_count]
    if batch.batch_id is None:
        lines.append("Nothing new has landed.")
        return "\n".join(lines)
    messages = sum(file.message_count for file in batch.landed)
    lines.append(
        f"Landed {counted(messages, 'message')} of {counted(len(batch.landed), 'file')} as batch {batch.batch_id}."
    )
    rows = []
    for source_name, format_name in dict.fromkeys((file.input.source_name, file.input.format) for file in scanned):
        landed = [file for file in batch.landed if file.input.source_name == source_name]
        skips = sum(skip.input.source_name == source_name for skip in batch.skipped)
        count = f"{sum(file.message_count for file in landed):,}"
        size = f"{sum(file.size for file in landed):,}"
        rows.append([source_name, format_name, f"{len(landed):,}", count, size, f"{skips:,}"])
    header = ["source", "format", "files", "messages", "bytes", "skipped files"]
    return "\n".join([*lines, aligned(header, rows, right=[2, 3, 4, 5])])


def _state_after_interrupt(home: Home, scanned: list[ScannedFile]) -> str:
    """Return the state after an interrupt: Delta's commit may have succeeded just before."""
    batches = batches_of(home, scanned)
    if not batches:
        return "Nothing of this call has landed; land it again."
    return f"All of its files have landed as batch {', '.join(sorted(batches))}; there is nothing to land again."


def natural_order(name: str) -> tuple[list[str | int], str]:
    """Return a sort key that orders names by the numbers in them: part9 before part10."""
    parts = re.split("([0-9]+)", name)
    return [int(part) if index % 2 else part for index, part in enumerate(parts)], name


def _warn_of_order(paths: Sequence[Path]) -> None:
    """Warn if a shell has sorted the files of a folder: part10 before part9 is rarely the order of an export."""
    names = [path.name for path in paths]
    if len({path.parent for path in paths}) == 1 and names == sorted(names):
        for name, natural in zip(names, sorted(names, key=natural_order), strict=True):
            if name != natural:
                print_to_stderr(
                    f"Warning: files land in the order in which they are named: {name} before {natural}. If changes "
                    "have equal times, the later file wins.\n  To land them in numeric order, name them by $(ls -v ..) "
                    "or land their folder with --tree."
                )
                return


def _visible(folder: Path) -> list[Path]:
    visible = [path for path in folder.iterdir() if not path.name.startswith(".")]
    return sorted(visible, key=lambda path: natural_order(path.name))


def _input_file(path: Path, source_name: str, format_name: str, options: LandOptions) -> InputFile:
    if not path.is_file():
        is_pattern = not path.exists() and any(sign in path.name for sign in "*?[")
        raise WatershedError(
            f"{path}: {'not a regular file' if path.exists() else 'no such file'}.",
            "The shell did not expand the pattern: no file matches it, or it is in quotes." if is_pattern else "",
        )
    try:
        path.name.encode()
    except UnicodeEncodeError:
        raise WatershedError(f"{path.name!r}: the file's name is not UTF-8.", "Rename it.") from None
    mode = mode_of(path, options.mode)
    if options.topic is not None and mode is Mode.ENVELOPE:
        raise WatershedError(
            f"{path}: --topic is given, but each envelope line names its topic.",
            "Omit --topic, or split the file differently: --as lines, bytes or array.",
        )
    return InputFile(path, source_name, format_name, mode, options.topic, options.is_forced)
