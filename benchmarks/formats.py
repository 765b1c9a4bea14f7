"""The time per message and byte of each format, compared with Blob: `python -m benchmarks.formats --format all`."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from benchmarks.change_log import Shape
from benchmarks.families import FAMILIES
from benchmarks.format_messages import describe, make_files
from benchmarks.machine import Timing, facts
from benchmarks.pipeline import FLATTEN, FOLD, build, land, say, say_timing
from benchmarks.results import Step, table, write
from benchmarks.watershed_side import Project
from watershed.home import find_project_dir
from watershed.tables import aligned

BLOB = "datahub_blob"


class Benchmark:
    """One format: messages, landing, Watershed, figures."""

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
        self.message_bytes = 0.0
        """Bytes of a message as it lands, known after `run`."""

    def run(self) -> dict[str, Step]:
        """Run the benchmark, print the figures and return them."""
        say(describe(self._format, self._shape))
        files = make_files(self._format, self._shape, self._work)
        self.message_bytes = sum(file.stat().st_size for file in files) / self._shape.messages
        landing = land(self._project, self._format, self._shape, self._work)
        with self._project.served(self._options.memory):
            self._project.dbt("seed")
            for _ in range(self._options.runs + 1):
                build(self._project, self._add)
        print(f"\n{self._format}:\n")
        print(table(self._steps, []))
        measured = {"format": self._format, "messages": self._shape.messages, "seed": self._shape.seed}
        measured |= {"runs": self._options.runs, "landing_seconds": round(landing.seconds, 3)}
        target = self._work / f"{self._format}-{self._shape.messages}.json"
        write(target, {"benchmark": "formats", "machine": self._facts} | measured, self._steps, [])
        print(f"\nAll figures: {target}", flush=True)
        if not self._options.keep:
            shutil.rmtree(self._run_dir)
        return self._steps

    def _add(self, name: str, timing: Timing) -> None:
        say_timing(name, timing)
        self._steps.setdefault(name, Step(name)).add(timing)


def overview(formats: dict[str, dict[str, Step]], sizes: dict[str, float], messages: int) -> str:
    """Return one line per format: microseconds of wall and processor time for a message, and ratios to Blob.

    Args:
        formats: The steps of each format.
        sizes: Bytes of a message as it lands, by format.
        messages: Messages of each format.
    """
    names = [FLATTEN, FOLD]
    header = ["microseconds a message", *(f"{name}{kind}" for name in names for kind in ("", ", cpu"))]
    header += ["bytes", "to Blob, per message", "per byte"]
    totals = {name: sum(steps[step].median for step in names) for name, steps in formats.items()}
    rows = []
    for name, steps in formats.items():
        times = (one for step in names for one in (steps[step].median, steps[step].cpu_median))
        ratio = totals[name] / totals[BLOB] if BLOB in totals else float("nan")
        by_byte = ratio * sizes.get(BLOB, 0) / sizes[name]
        figures = [f"{1e6 * one / messages:.1f}" for one in times]
        rows.append([name, *figures, f"{sizes[name]:.0f}", f"{ratio:.2f}", f"{by_byte:.2f}"])
    return aligned(header, rows, right=list(range(1, len(header))))


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.formats", description=__doc__)
    parser.add_argument("--format", choices=[*FAMILIES, "all"], default="all")
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3, help="counted runs after the warm-up (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="another seed makes other messages")
    parser.add_argument("--memory", default="4g", help="memory of the server's JVM (default: %(default)s)")
    parser.add_argument("--work", type=lambda text: Path(text).absolute(), help="folder of the data")
    parser.add_argument("--keep", action="store_true", help="keep the data of the run")
    options = parser.parse_args()
    if options.messages < 1_000 or options.runs < 1:
        parser.error("at least 1,000 messages and one run are needed")
    wanted = list(FAMILIES) if options.format == "all" else [options.format]
    benchmarks = {format_name: Benchmark(format_name, options) for format_name in wanted}
    measured = {format_name: benchmark.run() for format_name, benchmark in benchmarks.items()}
    sizes = {format_name: benchmark.message_bytes for format_name, benchmark in benchmarks.items()}
    print(f"\n{overview(measured, sizes, options.messages)}")


if __name__ == "__main__":
    main()
