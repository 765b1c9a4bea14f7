"""The same load by the cores that run it: `python -m benchmarks.cores --master 'local[1]' --master 'local[2]'`.

A cluster is named by its address; docs/cluster.md starts one.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from benchmarks.change_log import Shape
from benchmarks.format_messages import describe
from benchmarks.machine import Timing, facts
from benchmarks.pipeline import FLATTEN_COMMAND, FOLD_COMMAND, build, land, say, say_timing
from benchmarks.results import Ratio, Step, table, write
from benchmarks.watershed_side import Project
from watershed.home import find_project_dir

FORMAT = "datahub_blob"
STEPS = (FLATTEN_COMMAND, FOLD_COMMAND)


def measure(options: argparse.Namespace) -> None:
    """Land once, build all from empty tables on a server of each master, and print the figures."""
    of_machine, project_dir = facts(), find_project_dir()
    work: Path = options.work or project_dir / ".watershed" / "benchmarks"
    shape = Shape(options.messages, options.messages // 4, seed=1)
    say(describe(FORMAT, shape))
    folder = work / "cores"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    project = Project(project_dir, folder)
    land(project, FORMAT, shape, work)
    steps: dict[str, Step] = {}
    for master in options.masters:

        def add(name: str, timing: Timing, master: str = master) -> None:
            if name in STEPS:
                named = f"{master}: {name}"
                say_timing(named, timing)
                steps.setdefault(named, Step(named)).add(timing)

        with project.served(options.memory, master=master):
            project.dbt("seed")
            for _ in range(options.runs + 1):
                build(project, add)
    first = options.masters[0]
    ratios = [Ratio(f"{other}: {name}", f"{first}: {name}") for name in STEPS for other in options.masters[1:]]
    print(table(steps, ratios))
    target = work / f"cores-{options.messages}.json"
    write(target, {"benchmark": "cores", "machine": of_machine, "messages": options.messages}, steps, ratios)
    print(f"\nAll figures: {target}")
    shutil.rmtree(folder)


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cores", description=__doc__)
    parser.add_argument("--master", dest="masters", action="append", required=True, help="may repeat")
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=1, help="counted runs behind the warm-up (default: %(default)s)")
    parser.add_argument("--memory", default="3g", help="heap of the server's JVM (default: %(default)s)")
    parser.add_argument("--work", type=lambda text: Path(text).absolute(), help="folder of the data")
    options = parser.parse_args()
    try:
        measure(options)
    except (RuntimeError, ValueError) as error:
        sys.exit(f"benchmarks.cores: {error}")


if __name__ == "__main__":
    main()
