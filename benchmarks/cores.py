"""The same load with different numbers of cores: `python -m benchmarks.cores --master 'local[1]' --master 'local[2]'`.

A cluster is named by its address; docs/cluster.md starts one.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.change_log import Shape
from benchmarks.format_messages import describe
from benchmarks.machine import Timing, facts
from benchmarks.pipeline import FLATTEN_COMMAND, FOLD_COMMAND, build, land, say, say_timing
from benchmarks.results import Ratio, Step, table, write
from benchmarks.watershed_side import Project
from watershed.home import find_project_dir
from watershed.tables import aligned

FORMAT = "datahub_blob"
STEPS = (FLATTEN_COMMAND, FOLD_COMMAND)
FEW = 1_000
"""What a build of so few takes is what no core takes off: planning, commits, dbt."""


def measure(options: argparse.Namespace) -> None:
    """Land once, build a full and a small load into empty tables on a server of each master, and print the figures."""
    of_machine, project_dir = facts(), find_project_dir()
    work: Path = options.work or project_dir / ".watershed" / "benchmarks"
    folder = work / "cores"
    shutil.rmtree(folder, ignore_errors=True)
    projects, landing_seconds = {}, 0.0
    for count in (FEW, options.messages):
        shape = Shape(count, count // 4, seed=1)
        say(describe(FORMAT, shape))
        projects[count] = Project(project_dir, folder / str(count))
        landing_seconds = land(projects[count], FORMAT, shape, work).seconds
    steps: dict[str, Step] = {}
    for master in options.masters:
        for count, project in projects.items():
            _build(project, options, master, lambda name: _named(master, count, name), steps)  # noqa: B023
    first = options.masters[0]
    ratios = [
        Ratio(_named(other, options.messages, name), _named(first, options.messages, name))
        for name in STEPS
        for other in options.masters[1:]
    ]
    print(table(steps, ratios))
    print(
        f"\nLanding, one process whatever the cores: {_per_million(landing_seconds, options.messages):.1f} s a million"
    )
    rows = [_row(steps, master, options.messages) for master in options.masters]
    print(aligned(["both builds", "does not spread", "a million more", "processor for it"], rows, right=[1, 2, 3]))
    target = work / f"cores-{options.messages}.json"
    told = {"benchmark": "cores", "machine": of_machine, "messages": options.messages}
    write(target, told | {"landing_seconds": round(landing_seconds, 3)}, steps, ratios)
    print(f"\nAll figures: {target}")
    shutil.rmtree(folder)


def _build(
    project: Project, options: argparse.Namespace, master: str, named: Callable[[str], str], steps: dict[str, Step]
) -> None:
    def add(name: str, timing: Timing) -> None:
        if name in STEPS:
            say_timing(named(name), timing)
            steps.setdefault(named(name), Step(named(name))).add(timing)

    with project.served(options.memory, master=master):
        project.dbt("seed")
        for _ in range(options.runs + 1):
            build(project, add)


def _named(master: str, count: int, name: str) -> str:
    return f"{master}, {count:,} messages: {name}"


def _row(steps: dict[str, Step], master: str, count: int) -> list[str]:
    few, all_of_it = ([steps[_named(master, size, name)] for name in STEPS] for size in (FEW, count))
    fixed = sum(step.median for step in few)
    more = sum(step.median for step in all_of_it) - fixed
    processor = sum(step.cpu_median for step in all_of_it) - sum(step.cpu_median for step in few)
    return [master, f"{fixed:.1f} s", *(f"{_per_million(one, count - FEW):.1f} s" for one in (more, processor))]


def _per_million(seconds: float, messages: int) -> float:
    return seconds / messages * 1_000_000


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cores", description=__doc__)
    parser.add_argument("--master", dest="masters", action="append", required=True, help="may repeat")
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=1, help="counted runs behind the warm-up (default: %(default)s)")
    parser.add_argument("--memory", default="3g", help="heap of the server's JVM (default: %(default)s)")
    parser.add_argument("--work", type=lambda text: Path(text).absolute(), help="folder of the data")
    options = parser.parse_args()
    if options.messages < 10 * FEW or options.runs < 1:
        parser.error(f"at least {10 * FEW:,} messages and one run are needed")
    try:
        measure(options)
    except (RuntimeError, ValueError) as error:
        sys.exit(f"benchmarks.cores: {error}")


if __name__ == "__main__":
    main()
