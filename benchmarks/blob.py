"""DataHub Blob compared with a Spark job written by hand and with DuckDB: `python -m benchmarks.blob --runs 3`."""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from deltalake import DeltaTable

from benchmarks import by_hand, comparison, duckdb_side
from benchmarks.change_log import Shape
from benchmarks.format_messages import describe, make_files, split
from benchmarks.machine import Timing, facts, timed
from benchmarks.pipeline import FLATTEN, FOLD, MANIFEST, build, export, say, say_timing, total_of
from benchmarks.results import Ratio, Step, table, write
from benchmarks.watershed_side import SCHEMA, Project
from watershed.home import find_project_dir

SOURCE = "datahub_blob"
DUCKDB_FLATTEN = "DuckDB: flatten"
DUCKDB_FOLD = "DuckDB: fold"
FIRST = ", new server"
LEAST = "Watershed: the messages opened, and the rows of events written again"
LOAD, INCREMENT = "Watershed: events, appends and row_states", "Watershed: dbt run of an increment"
HAND_FLATTEN, HAND_LOAD, HAND_INCREMENT = "by hand: flatten", "by hand: flatten and fold", "by hand: append and MERGE"
RATIOS = [
    Ratio(LOAD, HAND_LOAD, 1.0),
    Ratio(FLATTEN, HAND_FLATTEN, 1.0),
    Ratio(LEAST, HAND_FLATTEN),
    Ratio(LOAD + FIRST, HAND_LOAD + FIRST, 1.1),
    Ratio(INCREMENT, HAND_INCREMENT, 2.0),
    Ratio(FLATTEN, DUCKDB_FLATTEN),
    Ratio(FOLD, DUCKDB_FOLD),
]


class Benchmark:
    """One benchmark: messages, landing, Watershed and the hand-written job, DuckDB, comparison, figures."""

    def __init__(self, options: argparse.Namespace) -> None:
        """Store the options and clear the data folder."""
        project_dir = find_project_dir()
        self._options = options
        self._work: Path = options.work or project_dir / ".watershed" / "benchmarks"
        self._run_dir = self._work / "run"
        shutil.rmtree(self._run_dir, ignore_errors=True)
        self._run_dir.mkdir(parents=True)
        self._project = Project(project_dir, self._run_dir)
        self._landing = self._project.home / "landing" / "messages"
        self._increments: list[list[Path]] = []
        self._way, self._rows_by_hand = "", 0
        self._steps: dict[str, Step] = {}
        self._facts = facts()

    def run(self) -> None:
        """Do all of it and print the figures.

        Raises:
            ValueError: the results differ, so there are no figures.
        """
        options = self._options
        increments = 2 * options.runs  # In each turn one for Watershed and one for the hand-written job.
        total = options.messages + increments * options.increment
        shape = Shape(total, total // 4, seed=options.seed)
        say(describe(SOURCE, shape))
        files = make_files(SOURCE, shape, self._work)
        first, *self._increments = split(files, self._run_dir / "messages", options.increment, increments)
        say(f"{sum(file.stat().st_size for file in first):,} bytes of envelopes; landing")
        landing = self._project.land(SOURCE, first)
        say(f"landed in {landing.seconds:.1f} s; Watershed and the hand-written job alternate")
        for turn in range(options.runs):
            sides = (self._measure_watershed, self._measure_by_hand)
            for measure in sides if turn % 2 == 0 else reversed(sides):
                measure(turn)
        for step in self._steps.values():
            # Each turn has a new server; its first build is a step of its own.
            step.warm_up = step.warm_up or step.runs[0]
        say("the server has ended; DuckDB")
        self._measure_duckdb()
        say("comparing")
        compared = self._compare()
        print(f"\nThe results are equal: {compared['changes']:,} changes, {compared['current_rows']:,} current rows.\n")
        print(f"By hand ({self._way}): {self._rows_by_hand:,} current rows.\n")
        print(table(self._steps, RATIOS))
        measured = {"messages": options.messages, "seed": shape.seed, "runs": self._options.runs, "compared": compared}
        measured["landing_seconds"] = round(landing.seconds, 3)
        target = self._options.json or self._work / f"blob-{options.messages}.json"
        write(target, {"benchmark": "blob", "machine": self._facts} | measured, self._steps, RATIOS)
        print(f"\nAll figures: {target}")
        if not self._options.keep:
            shutil.rmtree(self._run_dir)

    def _measure_watershed(self, turn: int) -> None:
        """Load twice into empty tables on a new server, then an increment."""
        with self._project.served(self._options.memory):
            self._project.dbt("seed")
            for suffix in (FIRST, ""):
                nodes: dict[str, Timing] = {}
                build(self._project, nodes.__setitem__)
                for name, timing in nodes.items():
                    self._keep(name + suffix, timing)
                self._keep(LOAD + suffix, total_of(nodes[FLATTEN], nodes[MANIFEST], nodes[FOLD]))
                self._keep(LEAST + suffix, self._least())
            if turn == self._options.runs - 1:
                export(self._project, self._run_dir)
            self._project.dbt("run")
            with self._landed_increment():
                self._keep(INCREMENT, self._project.dbt("run")[0])

    def _least(self) -> Timing:
        """Open all messages, then copy events to an empty table like it: what no change of the SQL between can save."""
        (model,) = self._project.target.rglob(f"compiled/**/stg_{SOURCE}__events.sql")
        compiled = model.read_text("utf-8")
        opened = compiled[compiled.index("open_json(value") : compiled.index("as opened")]
        copy = f"{SCHEMA}.events_again"
        self._project.sql(f"create table {copy} like {SCHEMA}.events")
        timing = self._project.sql(
            f"select count({opened}.members[0]) from landing.messages where format = '{SOURCE}'",
            f"insert into {copy} select * from {SCHEMA}.events",
        )
        self._project.sql(f"drop table {copy}")
        return timing

    def _measure_by_hand(self, turn: int) -> None:
        """Do the same in a new session: in the first turn in all ways, then only in the fastest one."""
        out = self._run_dir / "by_hand"
        ways = list(by_hand.WAYS) if turn == 0 else [self._way]
        loads: dict[str, dict[str, Timing]] = {}
        with self._landed_increment() as batch:
            command = [sys.executable, "-m", "benchmarks.by_hand", str(self._landing), str(out), "--way", *ways]
            command += ["--increment", batch, "--memory", self._options.memory]
            done = subprocess.run(command, cwd=self._project.project_dir, stdout=subprocess.PIPE, text=True, check=True)
        for line in map(json.loads, done.stdout.splitlines()):
            of_way = loads.setdefault(line.pop("way"), {})
            if "rows" in line:
                self._rows_by_hand = line["rows"]
                continue
            name, suffix = line.pop("step"), "" if line.pop("run") else FIRST
            of_way[name + suffix] = Timing(**line)
        for way, steps in loads.items():
            for suffix in (FIRST, ""):
                steps["load" + suffix] = total_of(steps[by_hand.FLATTEN + suffix], steps[by_hand.FOLD + suffix])
            say_timing(f"by hand, {way}", steps["load"])
        # The first way of a session has the cost of the new JVM; warm, the fastest counts.
        self._way = min(loads, key=lambda way: loads[way]["load"].seconds)
        cold, best = next(iter(loads.values())), loads[self._way]
        for name, step, steps in (
            (HAND_LOAD + FIRST, "load" + FIRST, cold),
            (HAND_LOAD, "load", best),
            (HAND_FLATTEN, by_hand.FLATTEN, best),
            (HAND_INCREMENT, by_hand.INCREMENT, best),
        ):
            self._keep(name, steps[step])

    @contextlib.contextmanager
    def _landed_increment(self) -> Iterator[str]:
        """Land an increment, yield its batch, and remove it from landing afterwards."""
        before = self._batches()
        self._project.land(SOURCE, self._increments.pop())
        (batch,) = self._batches() - before
        yield batch
        DeltaTable(self._landing).delete(f"batch_id = '{batch}'")

    def _batches(self) -> set[str]:
        return set(DeltaTable(self._landing).to_pyarrow_table(columns=["batch_id"])["batch_id"].unique().to_pylist())

    def _measure_duckdb(self) -> None:
        files = DeltaTable(self._landing).file_uris()
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
                comparison.parquet(self._run_dir / "current_rows"), f"{rows} where not is_deleted", comparison.ROW_TEXTS
            ),
        }

    def _keep(self, name: str, timing: Timing) -> None:
        """Add a time; unlike in `_add`, the first is not a warm-up."""
        say_timing(name, timing)
        self._steps.setdefault(name, Step(name)).runs.append(timing)

    def _add(self, name: str, timing: Timing) -> None:
        say_timing(name, timing)
        self._steps.setdefault(name, Step(name)).add(timing)


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.blob", description=__doc__)
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3, help="counted runs after the warm-up (default: %(default)s)")
    parser.add_argument("--increment", type=int, default=10_000, help="messages of an increment (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the generated messages")
    parser.add_argument("--memory", default="4g", help="memory of the server's JVM (default: %(default)s)")
    parser.add_argument("--work", type=lambda text: Path(text).absolute(), help="folder of the data")
    parser.add_argument("--json", type=lambda text: Path(text).absolute(), help="file of the figures")
    parser.add_argument("--keep", action="store_true", help="keep the data of the run")
    options = parser.parse_args()
    if options.messages < 1_000 or options.runs < 1:
        parser.error("at least 1,000 messages and one run are needed")
    try:
        Benchmark(options).run()
    except ValueError as error:
        sys.exit(f"benchmarks.blob: {error}")


if __name__ == "__main__":
    main()
