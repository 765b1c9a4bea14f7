"""The samples: `python -m watershed.samples COMMAND...` runs a command on them, apart from the user's data.

The command has WATERSHED_SAMPLES set: dbt and `watershed land` then read target/seeds, the rows of seeds/ followed by
those of samples/seeds/, and dbt reads samples/models too. Messages, tables and dbt's results are stored separately
(`environment_of`). Without the variable samples/ is ignored.
"""

from __future__ import annotations

import csv
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from watershed.errors import WatershedError
from watershed.home import DEFAULT_HOME, TARGET_VARIABLE, find_project_dir
from watershed.sources import SEEDS, SEEDS_WITH_SAMPLES, SWITCH

SAMPLES = Path("samples")
SCHEMA = "watershed_samples"
TARGET = str(Path("target") / "samples")


def write_seeds(project_dir: Path) -> None:
    """Rewrite target/seeds: all files of seeds/, with the rows of samples/seeds/ after the user's.

    Raises:
        WatershedError: a line of a seed has more cells than the file has columns, or the samples are missing.
    """
    samples = project_dir / SAMPLES / "seeds"
    if not samples.is_dir():
        raise WatershedError(f"{samples}: no such folder; it holds the seeds of the samples.")
    folder = project_dir / SEEDS_WITH_SAMPLES
    folder.mkdir(parents=True, exist_ok=True)
    for file in sorted((project_dir / SEEDS).iterdir()):
        # Replaced atomically, because another command may read it.
        unfinished = folder / f".{file.name}.{os.getpid()}"
        if (samples / file.name).exists():
            _write_both(unfinished, file, samples / file.name)
        else:
            shutil.copyfile(file, unfinished)
        os.replace(unfinished, folder / file.name)


def _write_both(path: Path, mine: Path, samples: Path) -> None:
    columns, rows = _read(mine)
    sample_columns, sample_rows = _read(samples)
    columns += [name for name in sample_columns if name not in columns]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows([*rows, *sample_rows])


def _read(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        rows = []
        for row in reader:
            if None in row:
                columns = len(reader.fieldnames or [])
                raise WatershedError(f"{path}:{reader.line_num}: expected at most {columns} cells, found more.")
            rows.append(row)
        return list(reader.fieldnames or []), rows


def environment_of(environment: Mapping[str, str], project_dir: Path) -> dict[str, str]:
    """Return the environment of a command on the samples.

    Its home is the user's with `-samples` appended, its schema SCHEMA, and dbt writes into a separate target folder, so
    that neither a build nor a report of the user's data contains samples. A shared store (WATERSHED_STORE) is not used.
    Commands find the programs of this .venv.

    Args:
        environment: The environment of the user; one of a command on the samples is returned unchanged.
        project_dir: The dbt project.
    """
    if environment.get(SWITCH):
        return dict(environment)
    home = environment.get("WATERSHED_HOME") or str(project_dir / DEFAULT_HOME)
    programs = [str(Path(sys.executable).parent), environment.get("PATH", "")]
    return {name: value for name, value in environment.items() if name != "WATERSHED_STORE"} | {
        SWITCH: "1",
        "WATERSHED_HOME": f"{home.rstrip('/')}-samples",
        "WATERSHED_SCHEMA": SCHEMA,
        TARGET_VARIABLE: TARGET,
        "DBT_LOG_PATH": TARGET,
        "PATH": os.pathsep.join(filter(None, programs)),
    }


def main(command: list[str]) -> None:
    """Replace this process by the command, on the samples.

    Raises:
        SystemExit: the seeds of the samples cannot be written, or there is no such command.
    """
    try:
        project_dir = find_project_dir()
        write_seeds(project_dir)
        os.execvpe(command[0], command, environment_of(os.environ, project_dir))
    except (WatershedError, csv.Error) as error:
        sys.exit(f"watershed.samples: {error}")
    except (IndexError, FileNotFoundError):
        sys.exit("watershed.samples: expected a command: python -m watershed.samples COMMAND...")


if __name__ == "__main__":
    main(sys.argv[1:])
