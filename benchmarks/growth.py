"""N messages against four times as many: `python -m benchmarks.growth --messages 250000 --format datahub_blob`."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path

from benchmarks.change_log import Shape
from benchmarks.families import FAMILIES
from benchmarks.format_messages import describe
from benchmarks.machine import Timing, facts
from benchmarks.memory import MemoryWatch
from benchmarks.pipeline import FLATTEN, FLATTEN_COMMAND, FOLD, FOLD_COMMAND, build, land, say, say_timing
from benchmarks.results import Step
from benchmarks.watershed_side import Project
from watershed.home import find_project_dir
from watershed.tables import aligned

STEPS = (FLATTEN_COMMAND, FLATTEN, FOLD_COMMAND, FOLD)
WANTED_SLACK = 1.1
"""A tenth more than in proportion is let pass: 4.4 for four times as many messages."""

WANTED_JVM_BYTES = 4 * 2**30


class Benchmark:
    """Two sizes, each on a separate server: times and memory."""

    def __init__(self, options: argparse.Namespace) -> None:
        """Store the options."""
        self._options = options
        self._project_dir = find_project_dir()
        self._work: Path = options.work or self._project_dir / ".watershed" / "benchmarks"
        self._sizes = (options.messages, options.messages * options.times)
        self._steps: dict[int, dict[str, Step]] = {}
        self._memory: dict[int, dict[str, int | None]] = {}
        self._landing: dict[int, Timing] = {}

    def run(self) -> None:
        """Run everything and print the figures."""
        of_machine = facts()
        for size in self._sizes:
            self._measure(size)
        small, large = self._sizes
        wanted = self._options.times * WANTED_SLACK
        steps = [[self._steps[size][name] for size in self._sizes] for name in STEPS]
        rows = [
            [one.name, *(f"{value:.2f}" for value in (one.median, four.median, four.median / one.median, wanted))]
            + [f"{value:.2f}" for value in (one.cpu_median, four.cpu_median, four.cpu_median / one.cpu_median)]
            for one, four in steps
        ]
        sizes = [f"{small:,}", f"{large:,}"]
        header = ["step (wall seconds, medians)", *sizes, "ratio", "at most", *(f"cpu {size}" for size in sizes)]
        print(aligned([*header, "cpu ratio"], rows, right=list(range(1, len(header) + 1))))
        print(f"\n{self._memory_table()}")
        told = {
            "benchmark": "growth",
            "machine": of_machine,
            "format": self._options.format,
            "keys": self._options.keys,
            "server_memory": self._options.memory,
            "sizes": {
                str(size): {"memory": self._memory[size], "landing_seconds": round(self._landing[size].seconds, 3)}
                | {"steps": {name: step.as_json() for name, step in self._steps[size].items()}}
                for size in self._sizes
            },
        }
        target = self._work / f"growth-{self._options.format}-{small}.json"
        target.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
        print(f"\nAll figures: {target}")

    def _measure(self, size: int) -> None:
        options = self._options
        shape = Shape(size, options.keys or size // 4, seed=options.seed)
        say(describe(options.format, shape))
        folder = self._work / f"growth-{size}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        project = Project(self._project_dir, folder)
        self._landing[size] = land(project, options.format, shape, self._work)
        self._steps[size] = {name: Step(name) for name in STEPS}
        with project.served(options.memory), MemoryWatch(project.server_pid) as watch:
            project.dbt("seed")
            for _ in range(options.runs + 1):
                build(project, lambda name, timing: self._add(size, name, timing))
            self._memory[size] = watch.as_json()
        if not options.keep:
            shutil.rmtree(folder)

    def _memory_table(self) -> str:
        names = {
            "jvm_peak_bytes": "JVM, most it held",
            "heap_after_collection_bytes": "its heap after a collection",
            "largest_worker_peak_bytes": "largest Python worker",
            "workers_at_once_bytes": "all Python workers at once",
        }
        rows = [
            [
                text,
                *(_mebibytes(self._memory[size][name]) for size in self._sizes),
                _mebibytes(WANTED_JVM_BYTES) if name == "jvm_peak_bytes" else "",
            ]
            for name, text in names.items()
        ]
        return aligned(["memory (MiB)", *(f"{size:,}" for size in self._sizes), "less than"], rows, right=[1, 2, 3])

    def _add(self, size: int, name: str, timing: Timing) -> None:
        say_timing(name, timing)
        self._steps[size][name].add(timing)


def _mebibytes(size: int | None) -> str:
    return "unknown" if size is None else f"{size / 2**20:,.0f}"


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--format", choices=["datahub_blob", *FAMILIES], default="datahub_blob")
    parser.add_argument("--messages", type=int, default=250_000)
    parser.add_argument("--times", type=int, default=4, help="how many times as many (default: %(default)s)")
    parser.add_argument("--keys", type=int, help="rows that change (default: a quarter as many as messages)")
    parser.add_argument("--runs", type=int, default=1, help="counted runs after the warm-up (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="another seed makes other messages")
    parser.add_argument("--memory", default="3g", help="heap of the server's JVM (default: %(default)s)")
    parser.add_argument("--work", type=lambda text: Path(text).absolute(), help="folder of the data")
    parser.add_argument("--keep", action="store_true", help="keep the data of the run")
    options = parser.parse_args()
    if options.messages < 1_000 or options.runs < 1 or options.times < 2:
        parser.error("at least 1,000 messages, one run and twice as many messages are needed")
    try:
        Benchmark(options).run()
    except (RuntimeError, ValueError) as error:
        sys.exit(f"benchmarks.growth: {error}")


if __name__ == "__main__":
    main()
