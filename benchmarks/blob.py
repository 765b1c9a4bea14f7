"""DataHub Blob compared with DuckDB: `python -m benchmarks.blob --messages 1000000 --runs 3`."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from deltalake import DeltaTable

from benchmarks import comparison, duckdb_side
from benchmarks.blob_messages import describe, make_files
from benchmarks.change_log import Shape
from benchmarks.machine import Timing, facts, timed
from benchmarks.pipeline import FLATTEN, FLATTEN_COMMAND, FOLD, FOLD_COMMAND, build, export, say, say_timing
from benchmarks.results import Ratio, Step, table, write
from benchmarks.watershed_side import Project
from watershed.home import find_project_dir

SOURCE = "datahub_blob"
DUCKDB_FLATTEN = "DuckDB: flatten"
DUCKDB_FOLD = "DuckDB: fold"
RATIOS = [
    Ratio(FLATTEN_COMMAND, DUCKDB_FLATTEN, 2.0),
    Ratio(FLATTEN, DUCKDB_FLATTEN),
    Ratio(FOLD_COMMAND, DUCKDB_FOLD, 1.5),
    Ratio(FOLD, DUCKDB_FOLD),
]


class Benchmark:
    """One run of the whole: messages, landing, Watershed, DuckDB, comparison, figures."""

    def __init__(self, options: argparse.Namespace) -> None:
        """Take the options and clear the place of the data."""
        project_dir = find_project_dir()
        self._options = options
        self._work: Path = options.work or project_dir / ".watershed" / "benchmarks"
        self._run_dir = self._work / "run"
        shutil.rmtree(self._run_dir, ignore_errors=True)
        self._run_dir.mkdir(parents=True)
        self._project = Project(project_dir, self._run_dir)
        self._steps: dict[str, Step] = {}
        self._facts = facts()

    def run(self) -> None:
        """Do all of it and print the figures.

        Raises:
            ValueError: the results differ, so there are no figures.
        """
        shape = Shape(self._options.messages, self._options.messages // 4, seed=self._options.seed)
        say(describe(shape))
        files = make_files(shape, self._work / f"blob-{shape.messages}-{shape.seed}")
        say(f"{sum(file.stat().st_size for file in files):,} bytes of envelopes; landing")
        landing = self._project.land(SOURCE, files)
        say(f"landed in {landing.seconds:.1f} s; Watershed")
        with self._project.served(self._options.memory):
            self._measure_watershed()
            export(self._project, self._run_dir)
        say("the server has ended; DuckDB")
        self._measure_duckdb()
        say("comparing")
        compared = self._compare()
        print(f"\nThe results are equal: {compared['changes']:,} changes, {compared['current_rows']:,} current rows.\n")
        print(table(self._steps, RATIOS))
        told = {"messages": shape.messages, "seed": shape.seed, "runs": self._options.runs, "compared": compared}
        told["landing_seconds"] = round(landing.seconds, 3)
        target = self._options.json or self._work / f"blob-{shape.messages}.json"
        write(target, {"benchmark": "blob", "machine": self._facts} | told, self._steps, RATIOS)
        print(f"\nAll figures: {target}")
        if not self._options.keep:
            shutil.rmtree(self._run_dir)

    def _measure_watershed(self) -> None:
        self._project.dbt("seed")
        for _ in range(self._options.runs + 1):
            build(self._project, self._add)

    def _measure_duckdb(self) -> None:
        files = DeltaTable(self._project.home.joinpath("landing", "messages")).file_uris()
        connection = duckdb_side.connect(self._run_dir / "spill")
        changes, rows = self._run_dir / "duckdb_events.parquet", self._run_dir / "duckdb_rows.parquet"
        for _ in range(self._options.runs + 1):
            with timed(lambda timing: self._add(DUCKDB_FLATTEN, timing)):
                duckdb_side.flatten(connection, files, changes)
            with timed(lambda timing: self._add(DUCKDB_FOLD, timing)):
                duckdb_side.fold(connection, changes, rows)
        connection.close()

    def _compare(self) -> dict[str, int]:
        changes = comparison.parquet(self._run_dir / "duckdb_events.parquet")
        rows = comparison.parquet(self._run_dir / "duckdb_rows.parquet")
        return {
            "changes": comparison.same_rows(
                comparison.parquet(self._run_dir / "changelog"),
                f"{changes} where outcome = 'change'",
                comparison.CHANGE_TEXTS,
            ),
            "current_rows": comparison.same_rows(
                comparison.parquet(self._run_dir / "current_rows"),
                f"{rows} where not is_deleted",
                comparison.ROW_TEXTS,
            ),
        }

    def _add(self, name: str, timing: Timing) -> None:
        say_timing(name, timing)
        self._steps.setdefault(name, Step(name)).add(timing)


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.blob", description=__doc__)
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3, help="counted runs behind the warm-up (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="another seed makes other messages")
    parser.add_argument("--memory", default="4g", help="memory of the server's JVM (default: %(default)s)")
    parser.add_argument("--work", type=lambda text: Path(text).absolute(), help="folder of the data")
    parser.add_argument("--json", type=lambda text: Path(text).absolute(), help="where the figures go")
    parser.add_argument("--keep", action="store_true", help="leave the run's data behind")
    options = parser.parse_args()
    if options.messages < 1_000 or options.runs < 1:
        parser.error("at least 1,000 messages and one run are needed")
    try:
        Benchmark(options).run()
    except ValueError as error:
        sys.exit(f"benchmarks.blob: {error}")


if __name__ == "__main__":
    main()
