"""`watershed snapshots`: typed snapshot models of the tables that messages have told of, written into the project.

What the files say is the macro generate_snapshot_models' matter; here they are only written, and edited ones are kept.
"""

from __future__ import annotations

import contextlib
import enum
import hashlib
import io
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from watershed.client import configured_host, configured_port, connect
from watershed.errors import WatershedError
from watershed.home import find_project_dir

GENERATED = Path("models") / "typed_snapshots" / "generated"
_PRINTED = "generated snapshots: "
_CHECKSUM = re.compile(r"checksum ([0-9a-f]{32})\b")
_LONGEST_NAME = 200
"""Bytes of a model's name: file systems take 255, with the ending."""


class Report(msgspec.Struct):
    """A type that did not fit into the one that a column has: the model keeps the one it had."""

    column: str
    kept: str
    change: str
    type: str


class Model(msgspec.Struct):
    """A generated model: its name, the texts of its files by name, and what is to be told about it."""

    name: str
    files: dict[str, str]
    reports: list[Report] = []


class State(enum.StrEnum):
    """What became of a model's files."""

    WRITTEN = "written"
    UNCHANGED = "unchanged"
    EDITED = "kept, edited by hand"


def snapshots(source_name: str | None, table_name: str | None) -> int:
    """Write the models of the tables seen and print what was written, kept and not taken over.

    Args:
        source_name: Only tables of this source; all if not given.
        table_name: Only tables of this name; all if not given.

    Returns:
        0, or 2 if a model could not be written since something of the user's stands in its way.

    Raises:
        WatershedError: no server answers, dbt fails, or there is no such table.
    """
    project_dir = find_project_dir()
    with connect(configured_host(), configured_port()):
        pass  # dbt would say it in many lines
    models = generate(project_dir, source_name, table_name)
    if not models:
        raise WatershedError(
            "No message has told of such a table.",
            "Land messages and run `dbt build`; `watershed sql 'select distinct source_name, table_name from "
            "watershed.column_types'` shows the tables.",
        )
    return write(project_dir, models)


def generate(project_dir: Path, source_name: str | None, table_name: str | None) -> list[Model]:
    """Have dbt render the models.

    Raises:
        WatershedError: dbt fails; its own words are in the text.
    """
    from dbt.cli.main import dbtRunner  # takes seconds to import

    arguments = {"source_name": source_name, "table_name": table_name, "as_json": True}
    target = project_dir / "target"
    command = ["--quiet", "--no-use-colors", "run-operation", "generate_snapshot_models", "--args"]
    command += [
        json.dumps(arguments),
        "--project-dir",
        str(project_dir),
        "--profiles-dir",
        str(project_dir / "profiles"),
    ]
    command += ["--target-path", str(target), "--log-path", str(target)]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        result = dbtRunner().invoke(command)
    lines = printed.getvalue().splitlines()
    found = [line.removeprefix(_PRINTED) for line in lines if line.startswith(_PRINTED)]
    if not result.success or len(found) != 1:
        said = "\n".join(lines[-20:]) or str(result.exception or "nothing was said")
        raise WatershedError(f"dbt could not render the models: {said}", "Have the models been built? `dbt build`")
    return msgspec.json.decode(found[0], type=list[Model])


def write(project_dir: Path, models: Iterable[Model]) -> int:
    """Write models into the project and print what became of each; return the exit code."""
    models = list(models)
    others = {path.stem.lower(): path for path in (project_dir / "models").rglob("*.sql")}
    counts = Counter(model.name.lower() for model in models)
    status = 0
    for model in models:
        other = others.get(model.name.lower())
        folder = project_dir / GENERATED
        if other is not None and other != folder / f"{model.name}.sql":
            print(f"{model.name}: not written, the project has {other.relative_to(project_dir)}")
            status = 2
        elif counts[model.name.lower()] > 1 or len(model.name) > _LONGEST_NAME:
            print(f"{model.name}: not written, the name is too long or differs from another by case only")
            status = 2
        else:
            state = write_files(folder, model.files)
            print(f"{model.name}: {state}")
            status = 2 if state is State.EDITED else status
        for report in model.reports:
            print(f"  column {report.column!r} keeps {report.kept!r}: {report.type!r} is {report.change}")
    return status


def write_files(folder: Path, files: Mapping[str, str]) -> State:
    """Write the files of one model, all of them or none: none if one was edited since it was written.

    Args:
        folder: Where they belong; it is made if it is missing.
        files: Texts by file name; the first line of each has the checksum of the lines below it.
    """
    there = {name: path.read_text("utf-8") for name in files if (path := folder / name).exists()}
    if any(is_edited(text) for text in there.values()):
        return State.EDITED
    if there == files:
        return State.UNCHANGED
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        unfinished = folder / f".{name}.new"
        unfinished.write_text(text, "utf-8")
        os.replace(unfinished, folder / name)
    return State.WRITTEN


def is_edited(text: str) -> bool:
    """Tell whether a file is not as it was written: its checksum is missing or not that of its lines."""
    first_line, _, rest = text.partition("\n")
    checksum = _CHECKSUM.search(first_line)
    return checksum is None or checksum[1] != hashlib.md5(rest.encode(), usedforsecurity=False).hexdigest()
