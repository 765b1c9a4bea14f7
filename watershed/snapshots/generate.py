"""`watershed snapshots`: writes typed snapshot models of the tables found in messages into the project.

`snapshots.files` generates the content of the files; here they are written, and files edited by hand are kept.
"""

from __future__ import annotations

import difflib
import enum
import os
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from watershed.errors import WatershedError
from watershed.home import find_home, find_project_dir
from watershed.server.client import configured_schema
from watershed.server.connection import connect_to
from watershed.snapshots.files import CHECKSUM, Kinds, Model, checksum, models_of
from watershed.snapshots.seen import Table, read_tables
from watershed.snapshots.typed_columns import read_typed_columns, with_given_types
from watershed.sources import read_sources
from watershed.tables import counted

GENERATED = Path("models") / "typed_snapshots" / "generated"
_MODEL_FOLDERS = ("models", "samples/models")
_LONGEST_NAME = 200
"""Bytes of a model's name: file systems take 255, with the ending."""


class State(enum.StrEnum):
    """The result for a model's files."""

    WRITTEN = "written"
    UNCHANGED = "unchanged"
    EDITED = "kept, edited by hand"
    DIFFERENT = "would be written"


def snapshots(source_name: str | None, table_name: str | None, is_dry_run: bool) -> int:
    """Write the models of the tables found, and print which were written, kept and skipped.

    Returns:
        0, or 2 if a model cannot be written under its name or a line of typed_columns.csv is wrong, which skips only
        the models of its source. A user's own models and files edited by hand are kept.

    Raises:
        WatershedError: no server answers, nothing has been built, there is no such table, or typed_columns.csv cannot
            be read.
    """
    project_dir = find_project_dir()
    rows, problems = read_typed_columns(project_dir)
    with connect_to(find_home(project_dir)) as cursor:
        tables = read_tables(cursor, configured_schema())
    if source_name is None:
        tables = _configured(tables, read_sources(project_dir).formats)
    kinds = Kinds(project_dir)
    typed_tables, type_problems = with_given_types(tables, rows, kinds)
    problems = [one for one in problems + type_problems if one.source_name in ("", source_name or one.source_name)]
    broken = {problem.source_name for problem in problems}
    usable = [table for table in typed_tables if table.source_name not in broken]
    models = models_of(usable, kinds, source_name, table_name)
    if not models and not problems:
        seen = sorted({f"{table.source_name}: {table.table_name}" for table in tables})
        raise WatershedError(
            f"No message contains such a table (seen: {', '.join(seen) or 'none'}).",
            "Land messages and run `dbt build`, or correct the names.",
        )
    status = write(project_dir, models, is_dry_run)
    for problem in problems:
        print(f"watershed snapshots: {problem}", file=sys.stderr)
    for name in sorted(broken - {""}):
        print(
            f"watershed snapshots: No model of source {name!r} was written; those of other sources were.",
            file=sys.stderr,
        )
    return 2 if problems else status


def _configured(tables: Sequence[Table], source_names: Collection[str]) -> list[Table]:
    """Skip tables of unconfigured sources, such as samples built by an earlier version, and print them."""
    left_out = sorted({table.source_name for table in tables if table.source_name not in source_names})
    if left_out:
        print(
            f"Left out, not in seeds/cdc_sources.csv: {', '.join(left_out)} (--source NAME writes those of one source)."
        )
    return [table for table in tables if table.source_name in source_names]


def write(project_dir: Path, models: Iterable[Model], is_dry_run: bool = False) -> int:
    """Write models into the project and print the result of each; return the exit code."""
    models = list(models)
    generated = project_dir / GENERATED
    others = {path.stem.lower(): path for folder in _MODEL_FOLDERS for path in (project_dir / folder).rglob("*.sql")}
    counts = Counter(model.name.lower() for model in models)
    status, changed = 0, 0
    for model in models:
        other = others.get(model.name.lower())
        if other is not None and other != generated / f"{model.name}.sql":
            print(f"{model.name}: not written, the project has {other.relative_to(project_dir)}")
        elif counts[model.name.lower()] > 1 or len(model.name) > _LONGEST_NAME:
            print(f"{model.name}: not written, the name is too long or differs from another by case only")
            status = 2
        else:
            state = write_files(generated, model.files, is_dry_run)
            print(f"{model.name}: {state}")
            changed += state in (State.WRITTEN, State.DIFFERENT)
        for remark in model.remarks:
            print(f"  {remark}")
    if is_dry_run:
        print(
            f"Dry run, nothing was written; without --dry-run {counted(changed, 'model')} would be, into {GENERATED}."
        )
    else:
        print(f"{counted(changed, 'model')} written into {GENERATED}.")
        if changed:
            print(f"Next: .venv/bin/dbt build --select path:{GENERATED} snapshot_list snapshot_lag")
    return status


def write_files(folder: Path, files: Mapping[str, str], is_dry_run: bool = False) -> State:
    """Write the files of one model, all of them or none: none if one was edited since it was written.

    Args:
        folder: Their folder; it is created if missing.
        files: Texts by file name; the first line of each has the checksum of the lines below it.
        is_dry_run: Print how they would change instead.
    """
    there = {name: path.read_text("utf-8") for name in files if (path := folder / name).exists()}
    if any(is_edited(text) for text in there.values()):
        return State.EDITED
    if there == files:
        return State.UNCHANGED
    if is_dry_run:
        for name, text in files.items():
            lines = there.get(name, "").splitlines(), text.splitlines()
            before = name if name in there else os.devnull
            print(*difflib.unified_diff(*lines, before, name, lineterm=""), sep="\n")
        return State.DIFFERENT
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        unfinished = folder / f".{name}.new"
        unfinished.write_text(text, "utf-8")
        os.replace(unfinished, folder / name)
    return State.WRITTEN


def is_edited(text: str) -> bool:
    """Return whether a file was edited: its checksum is missing or does not match its lines."""
    first_line, _, rest = text.partition("\n")
    written = CHECKSUM.search(first_line)
    return written is None or written[1] != checksum(rest)
