"""The other formats against a Python loop: `python -m benchmarks.formats --format oms_canal --messages 1000000`."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from deltalake import DeltaTable

from benchmarks import comparison, python_formats, python_side
from benchmarks.change_log import Shape
from benchmarks.families import FAMILIES
from benchmarks.format_messages import describe
from benchmarks.machine import Timing, facts, timed
from benchmarks.pipeline import FLATTEN, FLATTEN_COMMAND, FOLD, FOLD_COMMAND, build, export, land, say, say_timing
from benchmarks.results import Ratio, Step, table, write
from benchmarks.watershed_side import Project
from watershed.home import find_project_dir
from watershed.tables import aligned

PYTHON_FLATTEN = "Python loop: flatten"
PYTHON_FOLD = "Python loop: fold"
RATIOS = [
    Ratio(FLATTEN_COMMAND, PYTHON_FLATTEN),
    Ratio(FLATTEN, PYTHON_FLATTEN),
    Ratio(FOLD_COMMAND, PYTHON_FOLD),
    Ratio(FOLD, PYTHON_FOLD),
]
ORDER = ("order_sequence", "order_serial")
CHANGE_TEXTS = (*comparison.CHANGE_TEXTS, *ORDER, "topic", "partition", '"offset"', "event_index")
ROW_TEXTS = (*comparison.ROW_TEXTS, *ORDER)


class Benchmark:
    """One format: messages, landing, Watershed, the loop, comparison, figures."""

    def __init__(self, format_name: str, options: argparse.Namespace) -> None:
        """Store the options and clear the data folder."""
        project_dir = find_project_dir()
        self._format = format_name
        self._options = options
        self._shape = Shape(options.messages, options.messages // 4, seed=options.seed)
        self._work: Path = options.work or project_dir / ".watershed" / "benchmarks"
        self._run_dir = self._work / f"run-{format_name}"
        shutil.rmtree(self._run_dir, ignore_errors=True)
        self._run_dir.mkdir(parents=True)
        self._project = Project(project_dir, self._run_dir)
        self._steps: dict[str, Step] = {}
        self._facts = facts()

    def run(self) -> dict[str, Step]:
        """Run everything, print the figures and return them.

        Raises:
            ValueError: the results differ, so there are no figures.
        """
        say(describe(self._format, self._shape))
        landing = land(self._project, self._format, self._shape, self._work)
        with self._project.served(self._options.memory):
            self._project.dbt("seed")
            for _ in range(self._options.runs + 1):
                build(self._project, self._add)
            export(self._project, self._run_dir)
        say("the server has ended; the Python loop")
        self._measure_python()
        say("comparing")
        compared = self._compare()
        print(f"\n{self._format}: the results are equal: {compared['changes']:,} changes, {compared['rows']:,} rows.\n")
        print(table(self._steps, RATIOS))
        told = {"format": self._format, "messages": self._shape.messages, "seed": self._shape.seed}
        told |= {"runs": self._options.runs, "compared": compared, "landing_seconds": round(landing.seconds, 3)}
        target = self._work / f"{self._format}-{self._shape.messages}.json"
        write(target, {"benchmark": "formats", "machine": self._facts} | told, self._steps, RATIOS)
        print(f"\nAll figures: {target}", flush=True)
        if not self._options.keep:
            shutil.rmtree(self._run_dir)
        return self._steps

    def _landed_files(self) -> list[str]:
        return DeltaTable(self._project.home.joinpath("landing", "messages")).file_uris()

    def _measure_python(self) -> None:
        files = self._landed_files()
        changes, rows = self._run_dir / "python_events.parquet", self._run_dir / "python_rows.parquet"
        events = python_formats.events_of(self._format)
        for _ in range(self._options.runs + 1):
            with timed(self._keeper(PYTHON_FLATTEN)):
                python_side.flatten(files, changes, events, python_formats.SCHEMA)
            with timed(self._keeper(PYTHON_FOLD)):
                python_formats.fold(changes, rows)

    def _compare(self) -> dict[str, int]:
        """Compare changes with their order and position, and current rows."""
        order = "change_order.sequence as order_sequence, change_order.serial as order_serial"
        changes = f"(select *, {order} from {comparison.parquet(self._run_dir / 'changelog')})"
        rows = f"(select *, {order} from {comparison.parquet(self._run_dir / 'current_rows')})"
        their_changes = f"{comparison.parquet(self._run_dir / 'python_events.parquet')} where outcome = 'change'"
        their_rows = comparison.parquet(self._run_dir / "python_rows.parquet")
        return {
            "changes": comparison.same_rows(changes, their_changes, CHANGE_TEXTS),
            "rows": comparison.same_rows(rows, their_rows, ROW_TEXTS),
        }

    def _keeper(self, name: str) -> Callable[[Timing], None]:
        return lambda timing: self._add(name, timing)

    def _add(self, name: str, timing: Timing) -> None:
        say_timing(name, timing)
        self._steps.setdefault(name, Step(name)).add(timing)


def overview(formats: dict[str, dict[str, Step]], messages: int) -> str:
    """Return one line per format: microseconds of wall and processor time for a message."""
    names = [FLATTEN, FOLD, PYTHON_FLATTEN, PYTHON_FOLD]
    header = ["microseconds a message", *(f"{name}{kind}" for name in names for kind in ("", ", cpu"))]
    rows = [
        [
            format_name,
            *(f"{1e6 * one / messages:.1f}" for name in names for one in (steps[name].median, steps[name].cpu_median)),
        ]
        for format_name, steps in formats.items()
    ]
    return aligned(header, rows, right=list(range(1, len(header))))


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.formats", description=__doc__)
    parser.add_argument("--format", choices=[*FAMILIES, "all"], default="all")
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3, help="counted runs behind the warm-up (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="another seed makes other messages")
    parser.add_argument("--memory", default="4g", help="memory of the server's JVM (default: %(default)s)")
    parser.add_argument("--work", type=lambda text: Path(text).absolute(), help="folder of the data")
    parser.add_argument("--keep", action="store_true", help="leave the run's data behind")
    options = parser.parse_args()
    if options.messages < 1_000 or options.runs < 1:
        parser.error("at least 1,000 messages and one run are needed")
    wanted = list(FAMILIES) if options.format == "all" else [options.format]
    measured: dict[str, dict[str, Step]] = {}
    failed = []
    for format_name in wanted:
        try:
            measured[format_name] = Benchmark(format_name, options).run()
        except ValueError as error:
            print(f"benchmarks.formats: {format_name}: {error}", file=sys.stderr)
            failed.append(format_name)
    if measured:
        print(f"\n{overview(measured, options.messages)}")
    if failed:
        sys.exit(f"benchmarks.formats: no figures for {', '.join(failed)}")


if __name__ == "__main__":
    main()
