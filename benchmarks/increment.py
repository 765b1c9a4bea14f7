"""A small increment on a large table: `python -m benchmarks.increment --messages 1000000 --increment 10000`."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path

from benchmarks.change_log import Shape
from benchmarks.families import FAMILIES
from benchmarks.format_messages import describe, split
from benchmarks.machine import Timing, facts
from benchmarks.pipeline import make_files, say, say_timing, store_schemas
from benchmarks.results import Ratio, Step, table, write
from benchmarks.watershed_side import SCHEMA, Project
from watershed.home import find_project_dir
from watershed.server.client import LOOPBACK, connect, run
from watershed.tables import aligned

MODELS = ("events", "appends", "row_states")
FIRST, FULL, EMPTY, NOTHING = "first load", "increment on full tables", "increment on empty tables", "nothing new"
WANTED = 3.0


class Benchmark:
    """The same increments on full tables and on empty ones, and runs with nothing new."""

    def __init__(self, options: argparse.Namespace) -> None:
        """Store the options."""
        self._options = options
        self._project_dir = find_project_dir()
        self._work: Path = options.work or self._project_dir / ".watershed" / "benchmarks"
        self._steps: dict[str, Step] = {}
        self._written: dict[str, list[list[str]]] = {}

    def run(self) -> None:
        """Run everything and print the figures."""
        options = self._options
        of_machine = facts()
        total = options.messages + options.increment * (options.runs + 1)
        shape = Shape(total, total // 4, seed=options.seed)
        say(describe(options.format, shape))
        files = make_files(options.format, shape, self._work)
        first, *increments = split(files, self._work / "increment-messages", options.increment, options.runs + 1)
        self._measure("full", first, increments)
        self._measure("empty", None, increments)
        self._report(of_machine)

    def _report(self, of_machine: dict[str, object]) -> None:
        ratios = [Ratio(f"{FULL}: {name}", f"{EMPTY}: {name}", WANTED) for name in ("dbt run", *MODELS)]
        # A first load happens once: it is reported without a ratio.
        first_load = [name for name, step in self._steps.items() if not step.runs]
        for name in first_load:
            step = self._steps[name]
            assert step.warm_up is not None
            step.runs.append(step.warm_up)
        print(table(self._steps, ratios))
        header = ["written by the last build", "table", "version", "rows", "files in, out", "bytes", "bytes of table"]
        print(f"\n{aligned(header, [row for rows in self._written.values() for row in rows], right=[2, 3, 4, 5, 6])}")
        options = self._options
        told = {
            "format": options.format,
            "messages": options.messages,
            "increment": options.increment,
            "written": self._written,
        }
        target = self._work / f"increment-{options.format}-{options.messages}-{options.increment}.json"
        write(target, {"benchmark": "increment", "machine": of_machine} | told, self._steps, ratios)
        print(f"\nAll figures: {target}")

    def _measure(self, name: str, first: list[Path] | None, increments: list[list[Path]]) -> None:
        """Build increments on the tables of `first`, or on tables that are emptied before each."""
        folder = self._work / f"increment-{name}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        project = Project(self._project_dir, folder)
        with project.served(self._options.memory):
            project.dbt("seed")
            store_schemas(project, self._options.format, folder)
            # Views and empty tables. Not with --empty, because views created with it stay empty.
            project.dbt("run", "--select", "staging", "events", "rows")
            if first is not None:
                project.land(self._options.format, first)
                self._build(project, FIRST)
            for increment in increments:
                if first is None:
                    project.sql(*(f"delete from {name}" for name in _names()))
                project.land(self._options.format, increment)
                self._build(project, EMPTY if first is None else FULL)
            if first is not None:
                for _ in increments:
                    self._build(project, NOTHING)
        if not self._options.keep:
            shutil.rmtree(folder)

    def _build(self, project: Project, step: str) -> None:
        before = {model: self._version(project, model) for model in MODELS}
        timing, nodes = project.dbt("run", "--select", *MODELS)
        self._add(f"{step}: dbt run", timing)
        for model in MODELS:
            # Of a single node only the wall time is known.
            self._add(f"{step}: {model}", replace(timing, seconds=nodes[model], cpu_seconds=0.0))
        self._written[step] = [[step, model, *self._commit(project, model, before[model])] for model in MODELS]

    def _version(self, project: Project, model: str) -> int:
        return int(_described(project, f"describe history {SCHEMA}.{model} limit 1")[0]["version"])

    def _commit(self, project: Project, model: str, before: int) -> list[str]:
        """Return the output of the commits since a version: rows, files, bytes."""
        [detail] = _described(project, f"describe detail {SCHEMA}.{model}")
        version = self._version(project, model)
        # The newest version comes first.
        commits = _described(project, f"describe history {SCHEMA}.{model} limit {version - before + 1}")[:-1]
        metrics = [json.loads(commit["operationMetrics"]) for commit in commits]

        def metric(*names: str) -> str:
            return f"{sum(next((int(one[name]) for name in names if name in one), 0) for one in metrics):,}"

        return [
            str(version),
            metric("numOutputRows"),
            f"{metric('numTargetFilesAdded', 'numFiles')}, {metric('numTargetFilesRemoved', 'numRemovedFiles')}",
            metric("numTargetBytesAdded", "numOutputBytes"),
            f"{int(detail['sizeInBytes']):,}",
        ]

    def _add(self, name: str, timing: Timing) -> None:
        say_timing(name, timing)
        self._steps.setdefault(name, Step(name)).add(timing)


def _names() -> list[str]:
    return [*(f"{SCHEMA}.{model}" for model in reversed(MODELS)), "landing.messages"]


def _described(project: Project, statement: str) -> list[dict[str, str]]:
    """Run a statement and return the cells of its rows by name."""
    with connect(LOOPBACK, project.port) as cursor:
        header, rows = run(cursor, statement)
    return [{name: str(cell) for name, cell in zip(header, row, strict=True)} for row in rows]


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.increment", description=__doc__)
    parser.add_argument("--format", choices=["datahub_blob", *FAMILIES], default="datahub_blob")
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--increment", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=1, help="counted increments behind the warm-up")
    parser.add_argument("--seed", type=int, default=1, help="another seed makes other messages")
    parser.add_argument("--memory", default="4g", help="memory of the server's JVM (default: %(default)s)")
    parser.add_argument("--work", type=lambda text: Path(text).absolute(), help="folder of the data")
    parser.add_argument("--keep", action="store_true", help="keep the data of the run")
    options = parser.parse_args()
    if options.messages < 1_000 or options.increment < 100 or options.runs < 1:
        parser.error("at least 1,000 messages, an increment of 100 and one run are needed")
    try:
        Benchmark(options).run()
    except RuntimeError as error:
        sys.exit(f"benchmarks.increment: {error}")


if __name__ == "__main__":
    main()
