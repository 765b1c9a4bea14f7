"""What `make run` does beside a server: lands the samples, builds, shows the tables; a line per step with its time."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from dbt.cli.main import dbtRunner
from dbt_common.events.base_types import EventMsg
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from watershed.errors import WatershedError
from watershed.land import land
from watershed.samples import SAMPLES
from watershed.schemas import schemas
from watershed.sql import sql
from watershed.tables import OutputFormat

LOG = Path("target") / "dbt.log"
PLACES = ("--target-path", "target", "--log-path", "target", "--profiles-dir", "profiles")
SECONDS_BETWEEN_LINES = 15.0
BY_CONSTRUCTION = tuple(f"test_name:{test}" for test in ("has_columns", "has_no_nulls", "unique_combination"))
ORDER = '{source_name: datahub_blob, table_name: orders, row_key: "{\\"order_id\\":2}"}'
QUERIES = {
    "What became of the messages (watershed.source_outcomes):": """
        select source_name, messages, changes, control_events, duplicates, quarantined from watershed.source_outcomes
        order by source_name""",
    "Orders as the Blob messages leave them (watershed.snapshot_datahub_blob__orders):": """
        select order_id, customer_id, status, amount, placed_at, note, cast_failures
        from watershed.snapshot_datahub_blob__orders order by order_id""",
    "How order 2 came to be (watershed.row_history):": """
        select last_change_type, sequence_number, valid_from, valid_to, is_current, row_image
        from watershed.row_history
        where source_name = 'datahub_blob' and table_name = 'orders' and row_key = '{"order_id":2}'
        order by valid_from_order""",
}
NEXT = """
Next:
  make serve                                            keep a server running (in a second shell)
  .venv/bin/watershed sql "select * from watershed.current_rows"
  .venv/bin/watershed sql "select reason_code, reason_detail from watershed.quarantine"
  make run                                              again: nothing new, nothing changes
  make docs                                             the docs site
  make report                                           the health of all sources on one page
Your own data: "Land your own data" in README.md."""


@contextlib.contextmanager
def step(name: str, started: float | None = None) -> Iterator[list[str]]:
    """Print a line with the time of a step and what it has to tell."""
    started = started or time.time()
    told: list[str] = []
    yield told
    print(f"{time.time() - started:6.1f} s  {name}{': ' if told else ''}{'; '.join(told)}", flush=True)


class Build:
    """`dbt build` in this process: how far it is, and what it ended in."""

    def __init__(self) -> None:
        """Start with nothing known."""
        self.done, self.total, self.warned, self.failed = 0, 0, 0, list[str]()
        self._bar = Progress(
            TextColumn("          building"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[node]}"),
            console=Console(), transient=True, disable=not sys.stdout.isatty(),
        )  # fmt: skip
        self._task = self._bar.add_task("", total=None, node="")
        self._last_line = time.monotonic()

    def run(self) -> bool:
        """Build everything, and test what was fed; what holds by construction `make test` looks at."""
        with self._bar:
            command = [
                "--quiet",
                "build",
                "--exclude-resource-type",
                "unit_test",
                "--exclude",
                *BY_CONSTRUCTION,
                *PLACES,
            ]
            return dbtRunner(callbacks=[self._see]).invoke(command).success

    def _see(self, event: EventMsg) -> None:
        if event.info.name == "LogStartLine":
            self.total = event.data.total
        if event.info.name != "NodeFinished":
            return
        node = event.data.node_info
        self.done += 1
        self.warned += node.node_status == "warn"
        if node.node_status in ("error", "fail", "runtime error"):
            self.failed.append(node.node_name)
        self._bar.update(self._task, completed=self.done, total=self.total, node=node.node_name)
        if not sys.stdout.isatty() and time.monotonic() - self._last_line > SECONDS_BETWEEN_LINES:
            self._last_line = time.monotonic()
            print(f"          building: {self.done} of {self.total}, {node.node_name}", flush=True)


def land_samples() -> str:
    """Land schemas and messages; return what became of the messages, in one line."""
    with contextlib.redirect_stdout(io.StringIO()) as said:
        for source in ("databus_binary", "databus_json"):
            schemas(source, sorted((SAMPLES / "avro_schemas").glob("*.avsc")))
        land(None, [], SAMPLES / "messages", None)
    lines = said.getvalue().splitlines()
    return next(line.rstrip(".") for line in lines if line.startswith(("Landed", "Nothing new")))


def main() -> int:
    """Do all of it; return the exit code."""
    with step("the server has started", float(os.environ.get("STARTED", time.time()))):
        pass
    with step("samples") as told:
        told.append(land_samples())
    build = Build()
    with step("dbt build") as told:
        is_built = build.run()
        told.append(f"{build.done} models, seeds and tests, {build.warned} warnings, {len(build.failed)} errors")
    if not is_built:
        print(f"dbt build failed: {', '.join(build.failed) or 'before its first model'}. All that it said: {LOG}")
        return 1
    if build.warned:
        print(
            f"          Warnings are expected: {build.warned} tests tell what the broken messages among the samples"
            " break;\n          with messages of your own, look at watershed.quarantine"
        )
    print(f"          The whole log: {LOG}")
    for title, query in QUERIES.items():
        print(f"\n{title}", flush=True)
        sql(query, OutputFormat.TABLE)
    print("\nAnd why (dbt run-operation explain_row):", flush=True)
    explained = dbtRunner().invoke(
        ["--quiet", "--no-write-json", "run-operation", "explain_row", "--args", ORDER, *PLACES]
    )
    print(NEXT)
    return 0 if explained.success else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except WatershedError as error:
        sys.exit(f"make run: {error}")
