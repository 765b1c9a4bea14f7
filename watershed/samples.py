"""The samples beside what the user has: `python -m watershed.samples COMMAND...` runs a command with both.

The command has WATERSHED_SAMPLES set: dbt and `watershed land` then read target/seeds, the rows of seeds/ with those of
samples/seeds/ behind them, and dbt reads samples/models too. Without it nothing of samples/ is read.
"""

from __future__ import annotations

import csv
import os
import shutil
import sys
from pathlib import Path

from watershed.errors import WatershedError
from watershed.home import find_project_dir
from watershed.sources import SEEDS, SEEDS_WITH_SAMPLES, SWITCH

SAMPLES = Path("samples")


def lay_seeds(project_dir: Path) -> None:
    """Write target/seeds anew: all files of seeds/, with the rows of samples/seeds/ behind the user's.

    Raises:
        WatershedError: a line of a seed has more cells than the file has columns, or there are no samples.
    """
    samples = project_dir / SAMPLES / "seeds"
    if not samples.is_dir():
        raise WatershedError(f"{samples}: no such folder; it holds the seeds of the samples.")
    laid = project_dir / SEEDS_WITH_SAMPLES
    laid.mkdir(parents=True, exist_ok=True)
    for file in sorted((project_dir / SEEDS).iterdir()):
        # Another command may read it: whole, or as it was.
        unfinished = laid / f".{file.name}.{os.getpid()}"
        if (samples / file.name).exists():
            _write_both(unfinished, file, samples / file.name)
        else:
            shutil.copyfile(file, unfinished)
        os.replace(unfinished, laid / file.name)


def _write_both(path: Path, mine: Path, samples: Path) -> None:
    columns, rows = _read(mine)
    sample_columns, sample_rows = _read(samples)
    columns += [name for name in sample_columns if name not in columns]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows([*rows, *sample_rows])


def _read(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        rows = []
        for row in reader:
            if None in row:
                columns = len(reader.fieldnames or [])
                raise WatershedError(f"{path}:{reader.line_num}: expected at most {columns} cells, found more.")
            rows.append(row)
        return list(reader.fieldnames or []), rows


def main(command: list[str]) -> None:
    """Replace this process by the command, with the samples switched on."""
    try:
        lay_seeds(find_project_dir())
    except (WatershedError, csv.Error) as error:
        sys.exit(f"watershed.samples: {error}")
    os.environ[SWITCH] = "1"
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
