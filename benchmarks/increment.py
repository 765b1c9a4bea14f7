"""A small increment beside a large table: `python -m benchmarks.increment --messages 1000000 --increment 10000`."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from itertools import islice
from pathlib import Path

from benchmarks.blob_messages import describe, make_files
from benchmarks.change_log import Shape
from benchmarks.machine import facts
from benchmarks.watershed_side import SCHEMA, Project
from watershed.client import LOOPBACK, connect, run
from watershed.home import find_project_dir
from watershed.tables import aligned

SOURCE = "datahub_blob"
MODELS = ("events", "row_states")


class Benchmark:
    """The same increment on full tables and on empty ones, and a run with nothing new."""

    def __init__(self, options: argparse.Namespace) -> None:
        """Take the options and clear the place of the data."""
        self._options = options
        self._project_dir = find_project_dir()
        self._work: Path = options.work or self._project_dir / ".watershed" / "benchmarks"
        self._rows: list[list[str]] = []

    def run(self) -> None:
        """Do all of it and print the figures."""
        options = self._options
        total = options.messages + options.increment
        shape = Shape(total, total // 4, seed=options.seed)
        _say(describe(shape))
        files = make_files(shape, self._work / f"blob-{shape.messages}-{shape.seed}")
        first, then = self._split(files)
        for name, batches in (("full", (first, then)), ("empty", (then,))):
            folder = self._work / f"increment-{name}"
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            project = Project(self._project_dir, folder)
            with project.served(options.memory):
                project.dbt("seed")
                self._warm_up(project)
                for number, batch in enumerate(batches):
                    project.land(SOURCE, batch)
                    is_increment = number == len(batches) - 1
                    self._build(project, f"increment on {name} tables" if is_increment else "first load")
                self._build(project, f"nothing new, {name} tables")
            if not options.keep:
                shutil.rmtree(folder)
        header = [
            "step",
            "model",
            "seconds",
            "cpu",
            "version",
            "rows in",
            "files in, out",
            "bytes in",
            "bytes of table",
        ]
        print(aligned(header, self._rows, right=[2, 3, 4, 5, 6, 7, 8]))
        print(json.dumps(facts()))

    def _split(self, files: list[Path]) -> tuple[list[Path], list[Path]]:
        """Cut the last messages of each partition off: the increment."""
        folder = self._work / "increment-messages"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        share = self._options.increment // len(files)
        first: list[Path] = []
        then: list[Path] = []
        for file in files:
            with file.open("rb") as lines:
                size = sum(1 for _ in lines) - share
            for name, part, start, end in (("first", first, 0, size), ("then", then, size, None)):
                part.append(folder / f"{name}-{file.name}")
                with file.open("rb") as lines:
                    part[-1].write_bytes(b"".join(islice(lines, start, end)))
        return first, then

    def _warm_up(self, project: Project) -> None:
        """Make all views and tables, empty ones. Not with --empty: views made so stay empty."""
        project.dbt("run", "--select", "staging", "events", "rows")
        project.dbt("run", "--select", *MODELS)

    def _build(self, project: Project, step: str) -> None:
        before = {model: self._version(project, model) for model in MODELS}
        timing, nodes = project.dbt("run", "--select", *MODELS)
        _say(
            f"  {step}: {timing.seconds:.1f} s, {timing.cpu_seconds:.1f} s of processor (load {timing.load_before:.1f})"
        )
        self._rows.append([step, "dbt run", f"{timing.seconds:.1f}", f"{timing.cpu_seconds:.1f}", *[""] * 5])
        for model in MODELS:
            self._rows.append([step, model, f"{nodes[model]:.1f}", "", *self._written(project, model, before[model])])

    def _version(self, project: Project, model: str) -> int:
        return int(_described(project, f"describe history {SCHEMA}.{model} limit 1")["version"])

    def _written(self, project: Project, model: str, before: int) -> list[str]:
        """Say what the last commit wrote: rows, files, bytes; nothing if there was none."""
        last = _described(project, f"describe history {SCHEMA}.{model} limit 1")
        size = f"{int(_described(project, f'describe detail {SCHEMA}.{model}')['sizeInBytes']):,}"
        if int(last["version"]) == before:
            return [str(before), "0", "0, 0", "0", size]
        metrics = json.loads(last["operationMetrics"])

        def metric(*names: str) -> str:
            return next((f"{int(metrics[name]):,}" for name in names if name in metrics), "0")

        return [
            last["version"],
            metric("numOutputRows"),
            f"{metric('numTargetFilesAdded', 'numFiles')}, {metric('numTargetFilesRemoved', 'numRemovedFiles')}",
            metric("numTargetBytesAdded", "numOutputBytes"),
            size,
        ]


def _described(project: Project, statement: str) -> dict[str, str]:
    """Run a statement that gives one row, and give its cells by name."""
    with connect(LOOPBACK, project.port) as cursor:
        header, rows = run(cursor, statement)
    return {name: str(cell) for name, cell in zip(header, rows[0], strict=True)}


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.increment", description=__doc__)
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--increment", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1, help="another seed makes other messages")
    parser.add_argument("--memory", default="4g", help="memory of the server's JVM (default: %(default)s)")
    parser.add_argument("--work", type=lambda text: Path(text).absolute(), help="folder of the data")
    parser.add_argument("--keep", action="store_true", help="leave the run's data behind")
    Benchmark(parser.parse_args()).run()


if __name__ == "__main__":
    main()
