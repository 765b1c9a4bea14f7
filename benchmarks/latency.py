"""Fixed costs of builds, in alternating runs with another commit: `python -m benchmarks.latency --against X`."""

from __future__ import annotations

import argparse
import csv
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from benchmarks.change_log import Shape
from benchmarks.format_messages import split
from benchmarks.latency_messages import FORMAT_KEYS, FORMATS, TURNS, hundreds, made_up_schemas
from benchmarks.machine import Timing, code_cache_mib, facts
from benchmarks.pipeline import make_files, say, say_timing
from benchmarks.results import Ratio, Step, Trend, table, write
from benchmarks.watershed_side import Project
from watershed.home import find_project_dir

# Files that a side needs of its checkout; they are copied, so that sources can be added without changing a checkout.
PARTS = (
    *("dbt_project.yml", "selectors.yml", "models", "macros", "seeds", "samples", "tests", "profiles"),
    *("watershed", "udfs"),
)
FIRST_RUN, NOTHING, HUNDREDS = "first run of the samples", "nothing new", "100 messages in each format"
LOAD, INCREMENT = "first load", "increment"
# Maximum ratio to the time of the other commit.
WANTED = {NOTHING: 1.0, INCREMENT: 0.8, FIRST_RUN: 0.85, LOAD: 0.6, HUNDREDS: 0.8}
THIS, OTHER = "this", "other"


class Benchmark:
    """The same runs of two commits, alternating, each with a separate home and server."""

    def __init__(self, options: argparse.Namespace) -> None:
        """Store the options."""
        self._options = options
        self._project_dir = find_project_dir()
        self._work: Path = options.work or self._project_dir / ".watershed" / "benchmarks"
        self._steps: dict[str, Step] = {}
        self._memory: list[int] = []
        self._samples = self._work / "latency-samples-of-both"
        self._formats = FORMATS
        self._run = ("run",)

    def run(self) -> None:
        """Run everything and print the figures."""
        options = self._options
        of_machine = facts()
        checkouts = {THIS: self._project_dir}
        if options.against:
            checkouts[OTHER] = self._checkout(options.against)
        configured = [(folder / "dbt_project.yml").read_text(encoding="utf-8") for folder in checkouts.values()]
        self._formats = [one for one in FORMATS if all(f"    {one.name}: {{" in text for text in configured)]
        sides = {side: self._copy(side, folder) for side, folder in checkouts.items()}
        self._lay_samples(*sides.values())
        # A typed snapshot that only one side has costs something in each of its builds.
        snapshots = [{path.stem for path in side.glob("samples/**/snapshot_*.sql")} for side in sides.values()]
        if alone := set.union(*snapshots) - set.intersection(*snapshots):
            self._run = ("run", "--exclude", *sorted(alone))
        for turn in range(options.runs):
            for side, folder in sides.items() if turn % 2 == 0 else reversed(sides.items()):
                if "samples" in options.only:
                    self._time_samples(side, folder, turn)
                if "load" in options.only:
                    self._time_load(side, folder)
        if options.builds:
            self._time_builds(sides[THIS])
        self._report(of_machine)
        for folder in sides.values():
            shutil.rmtree(folder)

    def _report(self, of_machine: dict[str, object]) -> None:
        for step in self._steps.values():
            # Each turn starts a new server: there is no warm-up, and the first time counts.
            step.warm_up = step.warm_up or step.runs[0]
        ratios = [
            Ratio(f"{THIS}: {name}", f"{OTHER}: {name}", wanted)
            for name, wanted in WANTED.items()
            if f"{THIS}: {name}" in self._steps and f"{OTHER}: {name}" in self._steps
        ]
        print(table(self._steps, ratios))
        if self._memory:
            print(f"\nMemory of the JVM, MiB, after each build: {self._memory}")
        options = self._options
        measured = {"against": options.against, "messages": options.messages, "increment": options.increment}
        target = self._work / f"latency-{options.messages}-{options.increment}.json"
        content = {"benchmark": "latency", "machine": of_machine, "jvm_mib": self._memory} | measured
        write(target, content, self._steps, ratios)
        print(f"\nAll figures: {target}")

    def _time_samples(self, side: str, folder: Path, turn: int) -> None:
        """The samples into empty tables, then nothing, then a few messages of every format."""
        with self._served(folder, "samples") as project:
            schemas = sorted((self._project_dir / "samples" / "avro_schemas").glob("*.avsc"))
            for source in ("databus_binary", "databus_json"):
                project.store_schemas(source, schemas)
            self._store_schemas(project)
            project.land_tree(self._samples)
            self._build(project, side, FIRST_RUN)
            project.dbt(*self._run)
            self._build(project, side, NOTHING)
            for number in range(2):
                tree = hundreds(self._work / "latency-hundreds", 2 * turn + number, self._formats)
                project.land_tree(tree)
                if number:
                    self._build(project, side, HUNDREDS)
                else:
                    project.dbt(*self._run)

    def _time_load(self, side: str, folder: Path) -> None:
        """Blob messages into empty tables, then a small increment of them, after an uncounted one."""
        options = self._options
        total = options.messages + 2 * options.increment
        files = make_files("datahub_blob", Shape(total, total // 4, seed=1), self._work)
        first, *increments = split(files, self._work / "latency-messages", options.increment, count=2)
        with self._served(folder, "load") as project:
            project.dbt(*self._run)
            project.land("datahub_blob", first)
            self._build(project, side, LOAD)
            for number, increment in enumerate(increments):
                project.land("datahub_blob", increment)
                if number:
                    self._build(project, side, INCREMENT)
                else:
                    project.dbt(*self._run)

    def _time_builds(self, folder: Path) -> None:
        """Consecutive small builds on one server: neither time nor memory may grow without bound."""
        with self._served(folder, "builds") as project:
            self._store_schemas(project)
            project.dbt(*self._run)
            server = psutil.Process(project.server_pid)
            java = next(one for one in server.children(recursive=True) if one.name() == "java")
            of_nodes: Counter[str] = Counter()
            seconds: list[float] = []
            for number in range(self._options.builds):
                formats = TURNS[number % len(TURNS)]
                project.land_tree(hundreds(self._work / "latency-hundreds", 1000 + number, formats))
                timing, nodes = project.dbt(*self._run)
                self._add(f"{THIS}: small builds {number // 10 * 10 + 1} to {number // 10 * 10 + 10}", timing)
                seconds.append(timing.seconds)
                self._memory.append(java.memory_info().rss >> 20)
                of_nodes.update(nodes)
                if number % 10 == 9:
                    _say_slowest(of_nodes)
                    say(f"    code cache {code_cache_mib(java.pid)} MiB, memory {self._memory[-1]} MiB")
                    of_nodes.clear()
            warm = seconds[len(TURNS) :]
            if len(warm) > 2 * len(TURNS):
                trend = Trend.of(warm, len(TURNS))
                say(f"    after the first ten, per hundred builds: {trend.per_hundred:+.2f} s +- {trend.within:.2f}")

    def _lay_samples(self, *sides: Path) -> None:
        """Copy the samples of the sources that every side has."""
        shutil.rmtree(self._samples, ignore_errors=True)
        folders = (self._project_dir / "samples" / "messages").iterdir()
        for folder in sorted(one for one in folders if one.is_dir()):
            if all((side / "samples" / "messages" / folder.name).is_dir() for side in sides):
                shutil.copytree(folder, self._samples / folder.name)

    def _sources(self) -> set[str]:
        return {f"latency_{one.name}" for one in self._formats}

    def _store_schemas(self, project: Project) -> None:
        for source, files in made_up_schemas(self._work / "latency-schemas").items():
            project.store_schemas(source, files)

    def _build(self, project: Project, side: str, name: str) -> None:
        timing, nodes = project.dbt(*self._run)
        self._add(f"{side}: {name}", timing)
        _say_slowest(nodes)

    def _add(self, name: str, timing: Timing) -> None:
        say_timing(name, timing)
        self._steps.setdefault(name, Step(name)).runs.append(timing)

    @contextmanager
    def _served(self, folder: Path, name: str) -> Iterator[Project]:
        """A server of a copy on an empty home, with seeds; dbt has parsed the project."""
        work = self._work / f"latency-{name}"
        shutil.rmtree(work, ignore_errors=True)
        project = Project(folder, work)
        with project.served(self._options.memory):
            project.dbt("seed")
            yield project
        shutil.rmtree(work)

    def _checkout(self, commit: str) -> Path:
        """Return the folder of another checkout: the named one, or a new one of the commit next to the data."""
        if Path(commit).is_dir():
            return Path(commit).absolute()
        folder = self._work / f"latency-commit-{commit}"
        if not folder.exists():
            folder.mkdir(parents=True)
            archive = subprocess.run(
                ["git", "archive", commit], cwd=self._project_dir, capture_output=True, check=False
            )
            if archive.returncode != 0:
                folder.rmdir()
                raise RuntimeError(f"no commit {commit!r}: {archive.stderr.decode().strip()}")
            subprocess.run(["tar", "-x"], cwd=folder, input=archive.stdout, check=True)
        return folder

    def _copy(self, side: str, checkout: Path) -> Path:
        """Copy a checkout and configure the sources of the generated messages in the copy."""
        folder = self._work / f"latency-side-{side}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for part in PARTS:
            source = checkout / part
            if source.is_dir():
                shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("python", "__pycache__"))
            elif source.exists():
                shutil.copy(source, folder / part)
        for seed, rows in FORMAT_KEYS.items():
            path = folder / "seeds" / f"{seed}.csv"
            with path.open(encoding="utf-8", newline="") as lines:
                header = next(csv.reader(lines))
            with path.open("a", encoding="utf-8", newline="") as lines:
                known = [row for row in rows if row["source_name"] in self._sources()]
                csv.DictWriter(lines, header, lineterminator="\n").writerows(known)
        return folder


def _say_slowest(nodes: Mapping[str, float]) -> None:
    slowest = sorted(nodes.items(), key=lambda node: -node[1])[:8]
    say("    " + ", ".join(f"{node} {seconds:.1f}" for node, seconds in slowest) + f"; all {sum(nodes.values()):.1f}")


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.latency", description=__doc__)
    parser.add_argument("--against", help="another commit, or the folder of a checkout; without it there is no ratio")
    parser.add_argument("--messages", type=int, default=1_000_000, help="of the first load (default: %(default)s)")
    parser.add_argument("--increment", type=int, default=10_000, help="of the increment (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=3, help="turns of each side (default: %(default)s)")
    parser.add_argument("--only", nargs="+", choices=["samples", "load", "none"], default=["samples", "load"])
    parser.add_argument("--builds", type=int, default=0, help="small builds in a row on one server of this side")
    parser.add_argument("--memory", default="4g", help="memory of the server's JVM (default: %(default)s)")
    parser.add_argument("--work", type=lambda text: Path(text).absolute(), help="folder of the data")
    options = parser.parse_args()
    if options.messages < 1_000 or options.increment < 100 or options.runs < 1:
        parser.error("at least 1,000 messages, an increment of 100 and one run are needed")
    try:
        Benchmark(options).run()
    except RuntimeError as error:
        sys.exit(f"benchmarks.latency: {error}")


if __name__ == "__main__":
    main()
